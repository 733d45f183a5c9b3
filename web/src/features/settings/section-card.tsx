import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Paper from '@mui/material/Paper';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { optionSections } from '@tollgate/contracts/options/definition';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePersistedState } from '../../shared/form/use-kept.ts';
import { formatDateTime } from '../../shared/format.ts';
import { languageOf } from '../../shared/language.ts';
import { MomentField } from '../../shared/range/moment-field.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { type Setting, useCleanLogsMutation, useTestMailMutation, useTestOidcMutation } from './api.ts';
import { OptionField } from './option-field.tsx';
import type { Section } from './sections.ts';
import type { Drafts } from './use-drafts.ts';

const PriceTable = lazyPart(async () => (await import('./price-table.tsx')).PriceTable);

const tall = new Set(['json', 'markup', 'list', 'tags']);

interface SectionCardProps {
  section: Section;
  /** All there are: a card may show more than its own. */
  settings: readonly Setting[];
  drafts: Drafts;
  isSearch: boolean;
}

export function SectionCard({ section: { name, settings: own }, settings, drafts, isSearch }: SectionCardProps) {
  const { i18n } = useTranslation();
  const titleId = useId();
  return (
    <Paper variant="outlined" component="section" aria-labelledby={titleId} sx={{ p: { xs: 1.5, sm: 2 }, pt: 1.5 }}>
      <Typography variant="h2" id={titleId} sx={{ mb: 1.25 }}>
        {optionSections[name][languageOf(i18n.language)]}
      </Typography>
      <Box sx={{ display: 'grid', gap: 1.75, columnGap: 2.5, gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 320px), 1fr))' }}>
        {name === 'ratios' && !isSearch && <Wide>{<PriceTable settings={settings} drafts={drafts} />}</Wide>}
        {own.map((setting) =>
          tall.has(setting.kind) ? (
            <Wide key={setting.key}>
              <OptionField setting={setting} settings={settings} drafts={drafts} />
            </Wide>
          ) : (
            <OptionField key={setting.key} setting={setting} settings={settings} drafts={drafts} />
          ),
        )}
        {name === 'log' && !isSearch && <Wide>{<LogCleaning />}</Wide>}
        {name === 'smtp' && !isSearch && <Wide>{<MailTest />}</Wide>}
        {name === 'oauth' && !isSearch && <Wide>{<Callbacks settings={settings} />}</Wide>}
        {name === 'oauth' && !isSearch && <Wide>{<OidcTest />}</Wide>}
      </Box>
    </Paper>
  );
}

function Wide({ children }: { children: ReactNode }) {
  return <Box sx={{ gridColumn: '1 / -1', minWidth: 0 }}>{children}</Box>;
}

/** What has to be entered at the providers. */
function Callbacks({ settings }: { settings: readonly Setting[] }) {
  const { t } = useTranslation('settings');
  const server = settings.find(({ key }) => key === 'ServerAddress')?.value || location.origin;
  return (
    <Typography variant="body2" color="textSecondary" sx={{ overflowWrap: 'anywhere' }}>
      {t('callbacks', { server })}
    </Typography>
  );
}

/** A mail by the stored settings; what the mail server says against it is shown. */
function MailTest() {
  const { t } = useTranslation('settings');
  const [email, setEmail] = usePersistedState('mail-test', '');
  const [send, { isLoading }] = useTestMailMutation();

  async function run(): Promise<void> {
    try {
      await send(email).unwrap();
      toast('success', t('mail.sent', { email }));
    } catch (error) {
      toast('error', messageOf(error));
    }
  }

  return (
    <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'flex-start' }}>
      <TextField
        label={t('mail.label')}
        type="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        helperText={t('mail.saveFirst')}
        sx={{ maxWidth: 320 }}
      />
      <Button variant="outlined" color="inherit" sx={{ mt: 0.25 }} loading={isLoading} disabled={email === ''} onClick={() => void run()}>
        {t('mail.send')}
      </Button>
    </Box>
  );
}

/** Tests the stored settings with the provider; no user signs in. */
function OidcTest() {
  const { t } = useTranslation('settings');
  const [test, { isLoading, data, error }] = useTestOidcMutation();

  return (
    <Box sx={{ display: 'flex', gap: 1.5, flexWrap: 'wrap', alignItems: 'center' }}>
      <Button variant="outlined" color="inherit" loading={isLoading} onClick={() => void test(undefined)}>
        {t('oidc.test')}
      </Button>
      <Typography
        variant="body2"
        role="status"
        color={error ? 'error' : 'textSecondary'}
        sx={{ flex: 1, minWidth: 240, overflowWrap: 'anywhere' }}
      >
        {textOf()}
      </Typography>
    </Box>
  );

  function textOf(): string {
    if (error) return messageOf(error);
    return data ? found(data) : t('oidc.saveFirst');
  }

  function found({ issuer, client_authentication, userinfo, unsupported_scopes, redirect_uri }: NonNullable<typeof data>): string {
    return [
      t('oidc.works', { issuer, method: client_authentication, address: redirect_uri }),
      userinfo ? '' : t('oidc.noUserInfo'),
      unsupported_scopes.length === 0 ? '' : t('oidc.scopes', { scopes: unsupported_scopes.join(', ') }),
    ]
      .filter(Boolean)
      .join(' ');
  }
}

/** Deletes what is older than a moment; a month ago at first. */
function LogCleaning() {
  const { t } = useTranslation('settings');
  const [seconds, setSeconds] = useState<number | null>(aMonthAgo);
  const [clean, { isLoading }] = useCleanLogsMutation();
  const confirm = useConfirm();

  async function run(): Promise<void> {
    if (seconds === null || Number.isNaN(seconds)) return toast('error', t('logs.choose'));
    const question = {
      title: t('logs.confirm', { time: formatDateTime(seconds) }),
      text: t('logs.confirmText'),
      action: t('logs.clean'),
      dangerous: true,
    };
    if (!(await confirm(question))) return;
    try {
      toast('success', t('logs.done', { count: (await clean(seconds).unwrap()) ?? 0 }));
    } catch (error) {
      toast('error', messageOf(error));
    }
  }

  return (
    <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'center' }}>
      <Box sx={{ width: 260 }}>
        <MomentField label={t('logs.label')} value={seconds} onChange={setSeconds} />
      </Box>
      <Button variant="outlined" color="error" loading={isLoading} onClick={() => void run()}>
        {t('logs.clean')}
      </Button>
    </Box>
  );
}

/** In unix seconds, to the minute, as the field shows it. */
function aMonthAgo(): number {
  const then = new Date();
  then.setMonth(then.getMonth() - 1);
  then.setSeconds(0, 0);
  return then.getTime() / 1000;
}
