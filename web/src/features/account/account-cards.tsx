import Box from '@mui/material/Box';
import type { StatusView } from '@tollgate/contracts/api/status';
import type { UserView } from '@tollgate/contracts/api/user';
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

/** All that the page has: its fields and dialogs come after its frame. */
export function AccountCards({ self, status }: { self: UserView; status: StatusView }) {
  return (
    <ProofProvider>
      <Box sx={{ overflow: 'auto', flex: 1, minHeight: 0, pb: 3 }} tabIndex={-1}>
        <Box
          sx={{
            display: 'grid',
            gap: 1.5,
            gridTemplateColumns: { xs: 'minmax(0, 1fr)', lg: 'repeat(2, minmax(0, 1fr))' },
            alignItems: 'start',
          }}
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
      </Box>
    </ProofProvider>
  );
}
