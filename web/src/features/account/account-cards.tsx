import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { role } from '@tollgate/contracts/constants';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { sessionEnded, useHasRole } from '../../shared/session.ts';
import { useGetSelfQuery, useGetStatusQuery } from '../../shared/site.ts';
import { Card } from '../../shared/ui/card.tsx';
import { useConfirm } from '../../shared/ui/confirm.tsx';
import { CopyButton, copyText } from '../../shared/ui/copy.tsx';
import { ErrorNotice, messageOf } from '../../shared/ui/error-notice.tsx';
import { toast } from '../../shared/ui/toasts.ts';
import { useLeaveMutation, useRenewAccessTokenMutation } from './api.ts';
import { BindingsCard } from './bindings-card.tsx';
import { InviteCard } from './invite-card.tsx';
import { NoticesCard } from './notices-card.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { ProofProvider } from './proof.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { SignInsCard } from './sign-ins-card.tsx';
import { TwoFactorCard } from './two-factor-card.tsx';

/** Who one is, how one gets in, and how one is warned: what its page and the first tab of the settings show. Comes after their frame. */
export function AccountCards() {
  const { data: self, error, refetch } = useGetSelfQuery(undefined, { refetchOnMountOrArgChange: true });
  const { data: status } = useGetStatusQuery();
  if (error && !self) return <ErrorNotice error={error} onRetry={refetch} />;
  if (!self || !status) return null;
  return (
    <ProofProvider>
      <Box
        // Below each other in two columns, so that a short card leaves no hole beside a tall one.
        sx={{ columnCount: { xs: 1, lg: 2 }, columnGap: 1.5, '& > *': { breakInside: 'avoid', mb: 1.5 }, pb: 1.5 }}
      >
        <ProfileCard self={self} />
        <InviteCard self={self} />
        <BindingsCard self={self} status={status} />
        <PasswordCard />
        <TwoFactorCard />
        <PasskeysCard />
        <NoticesCard self={self} />
        <TokenCard />
        <SessionsCard />
        <SignInsCard />
        <LeaveCard username={self.username} />
      </Box>
    </ProofProvider>
  );
}

/** Closing the account, for good: its name has to be typed. */
function LeaveCard({ username }: { username: string }) {
  const { t } = useTranslation('account');
  const dispatch = useDispatch();
  const confirm = useConfirm();
  const [leave, { isLoading }] = useLeaveMutation();
  const go = async (): Promise<void> => {
    if (!(await confirm({ title: t('leave.title'), text: t('leave.question'), action: t('leave.go'), dangerous: true, typed: username })))
      return;
    const { error } = await leave();
    if (error) return toast('error', messageOf(error));
    toast('success', t('leave.done'));
    dispatch(sessionEnded('left'));
  };
  if (useHasRole(role.root)) return null;
  return (
    <Card title={t('leave.title')} lead={t('leave.lead')}>
      <div>
        <Button variant="outlined" color="error" onClick={go} loading={isLoading}>
          {t('leave.go')}
        </Button>
      </div>
    </Card>
  );
}

/** The token by which programs use the console in one's name; each new one ends the last. */
function TokenCard() {
  const { t } = useTranslation('account');
  const confirm = useConfirm();
  const [renew, { data: token, isLoading }] = useRenewAccessTokenMutation();
  const make = async (): Promise<void> => {
    if (!(await confirm({ title: t('token.title'), text: t('token.question'), action: t('token.make') }))) return;
    const { data, error } = await renew();
    if (error) return toast('error', messageOf(error));
    if (data && (await copyText(data))) toast('success', t('token.copied'));
  };
  return (
    <Card title={t('token.title')} lead={t('token.lead')}>
      {token && (
        <TextField
          label={t('token.once')}
          value={token}
          slotProps={{ input: { readOnly: true, endAdornment: <CopyButton text={token} label={t('token.copy')} /> } }}
        />
      )}
      <div>
        <Button variant="outlined" onClick={make} loading={isLoading}>
          {t('token.make')}
        </Button>
      </div>
    </Card>
  );
}
