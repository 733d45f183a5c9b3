import { useTranslation } from 'react-i18next';
import { useGetSelfQuery, useGetStatusQuery } from '../../shared/site.ts';
import { ErrorNotice } from '../../shared/ui/error-notice.tsx';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';

const AccountCards = lazyPart(async () => (await import('./account-cards.tsx')).AccountCards);

/** Who one is, how one gets in, and how one is warned. */
export function AccountPage() {
  const { t } = useTranslation('account');
  const { data: self, error, refetch } = useGetSelfQuery(undefined, { refetchOnMountOrArgChange: true });
  const { data: status } = useGetStatusQuery();
  return (
    <PageFrame title={t('title')}>
      {error && !self && <ErrorNotice error={error} onRetry={refetch} />}
      {self && status && <AccountCards self={self} status={status} />}
    </PageFrame>
  );
}
