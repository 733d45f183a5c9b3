import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { useGetSelfQuery, useGetStatusQuery } from '../../shared/site.ts';
import { ErrorNotice } from '../../shared/ui/error-notice.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';
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

/** Who one is, how one gets in, and how one is warned. */
export function AccountPage() {
  const { t } = useTranslation('account');
  const { data: self, error, refetch } = useGetSelfQuery(undefined, { refetchOnMountOrArgChange: true });
  const { data: status } = useGetStatusQuery();
  return (
    <PageFrame title={t('title')}>
      {error && !self && <ErrorNotice error={error} onRetry={refetch} />}
      {self && status && (
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
      )}
    </PageFrame>
  );
}
