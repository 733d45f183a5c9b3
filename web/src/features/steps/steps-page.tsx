import CheckCircleRounded from '@mui/icons-material/CheckCircleRounded';
import RadioButtonUncheckedRounded from '@mui/icons-material/RadioButtonUncheckedRounded';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { withoutEndSlashes } from '@tollgate/contracts/text-limits';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { SnippetTabs } from '../../shared/content/snippet-tabs.tsx';
import { useListFirstTokensQuery } from '../../shared/enabled-tokens.ts';
import { formatQuota, formatSeconds } from '../../shared/format.ts';
import { useSessionUser } from '../../shared/session.ts';
import { useGetStatusQuery, useListUsableModelsQuery, useMoneyDisplay } from '../../shared/site.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
import { Unread } from '../../shared/ui/unread.tsx';
import { useCheckChannelMutation, useFirstCallQuery, useFirstChannelQuery } from './api.ts';

const lookEveryMs = 3000;
const usualModel = 'gpt-4o-mini';

/** From a new installation to the first call that is seen in the log. */
export function StepsPage() {
  const { t } = useTranslation('steps');
  const money = useMoneyDisplay();
  const hasOwnPassword = useSessionUser()?.factoryPassword !== true;
  const fresh = { refetchOnMountOrArgChange: true };
  const channels = useFirstChannelQuery(undefined, fresh);
  const tokens = useListFirstTokensQuery(undefined, fresh);
  const calls = useFirstCallQuery(undefined, { ...fresh, pollingInterval: lookEveryMs, skipPollingIfUnfocused: true });
  const channel = channels.data?.items[0];
  const token = tokens.data?.items[0];
  const call = calls.data?.items[0];
  // What is not known is not taken for what is still to be done.
  if (!channels.data || !tokens.data || !calls.data)
    return (
      <PageFrame title={t('title')}>
        <Unread reads={[channels, tokens, calls]} />
      </PageFrame>
    );
  return (
    <PageFrame title={t('title')}>
      <Typography color="textSecondary" sx={{ pb: 2, maxWidth: 720 }}>
        {t('lead')}
      </Typography>
      <Box component="ol" sx={{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 1.5, maxWidth: 860, overflow: { md: 'auto' }, pb: 2 }}>
        <Step isDone={hasOwnPassword} title={t('password')}>
          {!hasOwnPassword && t('passwordHow')}
        </Step>
        <Step isDone={channel !== undefined} title={t('channel')}>
          {channel ? <Check id={channel.id} name={channel.name} /> : <Way to="/channel/add" label={t('addChannel')} />}
        </Step>
        <Step isDone={token !== undefined} title={t('token')}>
          {!token && <Way to="/token/add" label={t('addToken')} />}
        </Step>
        <Step isDone={call !== undefined} title={t('call')}>
          {token && <FirstCall tokenKey={token.key} />}
        </Step>
        <Step isDone={call !== undefined} title={t('seen')}>
          <span role="status">{call ? t('arrived', { model: call.model_name, cost: formatQuota(call.quota, money) }) : t('waiting')}</span>
          {call && <Way to="/log" label={t('toLog')} />}
        </Step>
      </Box>
    </PageFrame>
  );
}

function Step({ isDone, title, children }: { isDone: boolean; title: string; children: ReactNode }) {
  const { t } = useTranslation('steps');
  return (
    <Box
      component="li"
      sx={{
        display: 'grid',
        gridTemplateColumns: '24px minmax(0, 1fr)',
        gap: 1.5,
        border: 1,
        borderColor: 'divider',
        borderRadius: 2,
        bgcolor: 'background.paper',
        p: 2,
      }}
    >
      {isDone ? (
        <CheckCircleRounded color="success" titleAccess={t('done')} />
      ) : (
        <RadioButtonUncheckedRounded sx={{ color: 'text.secondary' }} titleAccess={t('open')} />
      )}
      <Box
        sx={{
          minWidth: 0,
          display: 'flex',
          flexDirection: 'column',
          alignItems: 'flex-start',
          gap: 1,
          fontSize: 13.5,
          '& > .whole': { width: '100%' },
        }}
      >
        <Typography variant="h2" sx={{ fontSize: 14 }}>
          {title}
        </Typography>
        {children}
      </Box>
    </Box>
  );
}

function Way({ to, label }: { to: string; label: string }) {
  return (
    <Button component={Link} to={to} variant="outlined">
      {label}
    </Button>
  );
}

/** Whether the channel's key works, asked of the provider now. */
function Check({ id, name }: { id: number; name: string }) {
  const { t } = useTranslation('steps');
  const [check, { data, error, isLoading }] = useCheckChannelMutation();
  return (
    <>
      <Button variant="outlined" loading={isLoading} onClick={() => void check(id)}>
        {t('check', { name })}
      </Button>
      {data && <span role="status">{t('checked', { time: formatSeconds(data.time) })}</span>}
      {error && (
        <Box component="span" role="alert" sx={{ color: 'error.main', overflowWrap: 'anywhere' }}>
          {messageOf(error)}
        </Box>
      )}
    </>
  );
}

function FirstCall({ tokenKey }: { tokenKey: string }) {
  const { t } = useTranslation('steps');
  const { data: status } = useGetStatusQuery();
  const { data: models = [] } = useListUsableModelsQuery(undefined, { refetchOnMountOrArgChange: true });
  const model = models.includes(usualModel) ? usualModel : (models[0] ?? usualModel);
  const baseUrl = `${withoutEndSlashes(status?.server_address || location.origin)}/v1`;
  const request = useMemo(
    () => ({ baseUrl, key: `sk-${tokenKey}`, body: { model, messages: [{ role: 'user', content: t('hello') }] } }),
    [baseUrl, tokenKey, model, t],
  );
  return (
    <div className="whole">
      <SnippetTabs request={request} label={t('call')} />
    </div>
  );
}
