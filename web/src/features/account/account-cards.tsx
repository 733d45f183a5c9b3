import Box from '@mui/material/Box';
import { useGetSelfQuery, useGetStatusQuery } from '../../shared/site.ts';
import { ErrorNotice } from '../../shared/ui/error-notice.tsx';
import { BindingsCard } from './bindings-card.tsx';
import { InviteCard } from './invite-card.tsx';
import { LeaveCard } from './leave-card.tsx';
import { NoticesCard } from './notices-card.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { ProfileCard } from './profile-card.tsx';
import { ProofProvider } from './proof.tsx';
import { SessionsCard } from './sessions-card.tsx';
import { SignInsCard } from './sign-ins-card.tsx';
import { TokenCard } from './token-card.tsx';
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
