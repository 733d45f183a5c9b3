import FingerprintRounded from '@mui/icons-material/FingerprintRounded';
import ForumRounded from '@mui/icons-material/ForumRounded';
import GitHub from '@mui/icons-material/GitHub';
import GroupsRounded from '@mui/icons-material/GroupsRounded';
import Telegram from '@mui/icons-material/Telegram';
import VpnKeyRounded from '@mui/icons-material/VpnKeyRounded';
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Divider from '@mui/material/Divider';
import Typography from '@mui/material/Typography';
import { browserSupportsWebAuthn, startAuthentication } from '@simplewebauthn/browser';
import type { StatusView } from '@tollgate/contracts/api/status';
import type { LoginAnswer, LoginView } from '@tollgate/contracts/api/user';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isGivenUp } from '../../shared/passkeys.ts';
import { remembered } from '../../shared/preferences.ts';
import { askTelegram } from '../../shared/telegram.ts';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { DoorForm } from './door-form.tsx';
import { Field } from './fields.tsx';
import { inviterKey } from './inviter.ts';
import {
  useBeginAtProviderMutation,
  useBeginPasskeySignInMutation,
  useFinishPasskeySignInMutation,
  useTelegramLoginMutation,
  useWechatLoginMutation,
} from './ways-api.ts';

/** All ways in but the password, as the site has them. `isNew`: on the page for registering, where a passkey leads nowhere. */
export function OtherWays({
  status,
  isNew = false,
  onDone,
}: {
  status: StatusView;
  isNew?: boolean;
  onDone: (answer: LoginAnswer) => void;
}) {
  const { t } = useTranslation('door');
  const openProvider = useOpenProvider();
  const [signInByPasskey, isAsking] = usePasskeySignIn();
  const [telegramLogin] = useTelegramLoginMutation();
  const [error, setError] = useState<unknown>();
  const [isWechatOpen, setWechatOpen] = useState(false);

  /** Says what came of it, good or not. */
  const tried = async (work: () => Promise<LoginAnswer | undefined>): Promise<void> => {
    setError(undefined);
    try {
      const answer = await work();
      if (answer) onDone(answer);
    } catch (failure) {
      setError(failure);
    }
  };
  const lead = (provider: 'github' | 'linuxdo' | 'oidc') => tried(() => openProvider(provider, remembered(inviterKey) ?? ''));
  const ways: { name: string; icon: ReactNode; shown: boolean; busy?: boolean; go: () => unknown }[] = [
    {
      name: t('ways.passkey'),
      icon: <FingerprintRounded />,
      shown: !isNew && browserSupportsWebAuthn(),
      busy: isAsking,
      go: () => tried(signInByPasskey),
    },
    { name: 'GitHub', icon: <GitHub />, shown: status.github_oauth, go: () => lead('github') },
    { name: 'LinuxDO', icon: <GroupsRounded />, shown: status.linuxdo_oauth, go: () => lead('linuxdo') },
    { name: status.oidc_name, icon: <VpnKeyRounded />, shown: status.oidc_oauth, go: () => lead('oidc') },
    { name: t('ways.wechat'), icon: <ForumRounded color="success" />, shown: status.wechat_login, go: () => setWechatOpen(true) },
    {
      name: 'Telegram',
      icon: <Telegram color="info" />,
      shown: status.telegram_oauth && !isNew,
      go: () =>
        tried(async () => {
          const signed = await askTelegram(status.telegram_bot_id);
          return signed && (await telegramLogin(signed).unwrap());
        }),
    },
  ];
  const shown = ways.filter((way) => way.shown);
  if (shown.length === 0) return null;
  return (
    <Box component="section" aria-label={t('ways.title')} sx={{ mt: 3 }}>
      <Divider sx={{ mb: 2, fontSize: 12.5, color: 'text.secondary' }}>{t('ways.title')}</Divider>
      {error !== undefined && (
        <Alert severity="error" sx={{ mb: 2 }}>
          {messageOf(error)}
        </Alert>
      )}
      <Box sx={{ display: 'grid', gridTemplateColumns: 'repeat(auto-fit, minmax(150px, 1fr))', gap: 1 }}>
        {shown.map(({ name, icon, busy = false, go }) => (
          <Button key={name} variant="outlined" color="inherit" startIcon={icon} loading={busy} onClick={go} sx={{ minHeight: 44 }}>
            {name}
          </Button>
        ))}
      </Box>
      {isWechatOpen && <WechatDialog image={status.wechat_qrcode} onDone={onDone} onClose={() => setWechatOpen(false)} />}
    </Box>
  );
}

/**
 * Leads to a provider's page, in a window of its own, which comes back to a page of ours there; where the browser opens none, in this one.
 * It is opened before the server is asked for the address: later, no browser believes that a click opened it.
 */
function useOpenProvider(): (provider: 'github' | 'linuxdo' | 'oidc', inviter?: string) => Promise<LoginAnswer | undefined> {
  const [begin] = useBeginAtProviderMutation();
  return async (provider, aff = '') => {
    const opened = window.open('about:blank', '_blank');
    try {
      const { url } = await begin({ provider, aff }).unwrap();
      if (opened) {
        opened.opener = null;
        opened.location.replace(url);
      } else location.assign(url);
    } catch (error) {
      opened?.close();
      throw error;
    }
    return undefined;
  };
}

/** Signs in by a passkey; answers undefined where its holder thinks better of it. */
function usePasskeySignIn(): [signIn: () => Promise<LoginView | undefined>, isAsking: boolean] {
  const [begin] = useBeginPasskeySignInMutation();
  const [finish] = useFinishPasskeySignInMutation();
  const [isAsking, setAsking] = useState(false);
  const signIn = async (): Promise<LoginView | undefined> => {
    setAsking(true);
    try {
      const optionsJSON = (await begin().unwrap()) as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'];
      const response = await startAuthentication({ optionsJSON });
      return await finish({ response: { ...response, response: { ...response.response }, clientExtensionResults: {} } }).unwrap();
    } catch (error) {
      if (isGivenUp(error)) return undefined;
      throw error;
    } finally {
      setAsking(false);
    }
  };
  return [signIn, isAsking];
}

/** The code that the official account tells whoever follows it. */
function WechatDialog({ image, onDone, onClose }: { image: string; onDone: (answer: LoginAnswer) => void; onClose: () => void }) {
  const { t } = useTranslation(['door', 'session']);
  const [login, { isLoading, error }] = useWechatLoginMutation();
  const [code, setCode] = useState('');
  const submit = async (): Promise<void> => {
    if (code.trim() === '') return;
    const { data } = await login({ code: code.trim(), aff: remembered(inviterKey) ?? '' });
    if (!data) return;
    onClose();
    onDone(data);
  };
  return (
    <Dialog open onClose={onClose} maxWidth="xs" fullWidth aria-labelledby="wechat-title" transitionDuration={80}>
      <DialogTitle id="wechat-title">{t('wechat.title')}</DialogTitle>
      <DialogContent sx={{ '&&': { pt: 1 } }}>
        {image && (
          <img src={image} alt={t('wechat.image')} style={{ display: 'block', width: '100%', maxWidth: 240, margin: '0 auto 16px' }} />
        )}
        <Typography variant="body2" color="textSecondary" sx={{ mb: 2 }}>
          {t('wechat.how')}
        </Typography>
        <DoorForm error={error} action={t('session:submit')} isLoading={isLoading} onSubmit={submit}>
          <Field
            autoFocus
            label={t('register.code')}
            name="wechat_code"
            autoComplete="one-time-code"
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
        </DoorForm>
      </DialogContent>
    </Dialog>
  );
}
