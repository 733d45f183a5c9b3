import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import type { Bound } from '@tollgate/contracts/api/third-party';
import type { UserView } from '@tollgate/contracts/api/user';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { useGetStatusQuery } from '../../shared/site.ts';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { Unread } from '../../shared/ui/unread.tsx';
import { useTakeOffBindingMutation, useTakeOffPasskeysMutation, useTakeOffSecondStepMutation, useWaysInQuery } from './api.ts';

/** How somebody signs in besides a password, and what takes each of it off them: their device is lost, or somebody else has come in by it. */
export function WaysInDialog({ user, onClose }: { user: UserView; onClose: () => void }) {
  const { t } = useTranslation(['users', 'shared']);
  const titleId = useId();
  const confirm = useConfirm();
  const ways = useWaysInQuery(user.id);
  const { data: status } = useGetStatusQuery();
  const [takeOffSecondStep] = useTakeOffSecondStepMutation();
  const [takeOffPasskeys] = useTakeOffPasskeysMutation();
  const [takeOffBinding] = useTakeOffBindingMutation();

  const ask = async (name: string, text: string, unlinkAsAdmin: () => Promise<{ error?: unknown }>): Promise<void> => {
    const title = t('waysIn.confirm', { way: name, name: user.username });
    if (!(await confirm({ title, text, action: t('waysIn.takeOff'), dangerous: true }))) return;
    const { error } = await unlinkAsAdmin();
    if (error) toast('error', messageOf(error));
    else toast('success', t('waysIn.done', { way: name }));
  };
  const bindings: [Bound, string, string][] = [
    ['email', t('columns.email'), user.email],
    ['github', 'GitHub', user.github_id],
    ['wechat', t('facts.wechat'), user.wechat_id],
    ['telegram', 'Telegram', user.telegram_id],
    ['linuxdo', 'LinuxDO', user.linux_do_id],
    ['oidc', status?.oidc_name || 'OIDC', user.oidc_id],
  ];
  const { second_factor: hasSecondStep = false, passkeys = [] } = ways.data ?? {};
  return (
    <Dialog open onClose={onClose} maxWidth="xs" fullWidth aria-labelledby={titleId} transitionDuration={80}>
      <DialogTitle id={titleId}>{t('waysIn.title', { name: user.username })}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 1 }}>
        <Unread reads={[ways]} />
        {ways.data && (
          <>
            <Way
              name={t('waysIn.secondStep')}
              value={hasSecondStep ? t('waysIn.on') : ''}
              onTakeOff={() => ask(t('waysIn.secondStep'), t('waysIn.secondStepText'), () => takeOffSecondStep(user.id))}
            />
            <Way
              name={t('waysIn.passkeys')}
              value={passkeys.map(({ name }) => name).join(', ')}
              onTakeOff={() => ask(t('waysIn.passkeys'), t('waysIn.goneText'), () => takeOffPasskeys(user.id))}
            />
          </>
        )}
        {bindings.map(([provider, name, value]) => (
          <Way
            key={provider}
            name={name}
            value={value}
            onTakeOff={() => ask(name, t('waysIn.goneText'), () => takeOffBinding({ id: user.id, provider }))}
          />
        ))}
      </DialogContent>
      <DialogActions sx={{ px: 3, pb: 2 }}>
        <Button color="inherit" onClick={onClose}>
          {t('shared:close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function Way({ name, value, onTakeOff }: { name: string; value: string; onTakeOff: () => unknown }) {
  const { t } = useTranslation('users');
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, minHeight: 36 }}>
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Typography variant="body2">{name}</Typography>
        <Typography variant="body2" color="textSecondary" sx={{ overflowWrap: 'anywhere' }}>
          {value || t('facts.none')}
        </Typography>
      </Box>
      {value !== '' && (
        <Button color="inherit" onClick={onTakeOff} aria-label={`${t('waysIn.takeOff')}: ${name}`}>
          {t('waysIn.takeOff')}
        </Button>
      )}
    </Box>
  );
}
