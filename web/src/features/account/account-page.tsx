import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../shared/ui/lazy-part.tsx';
import { PageFrame } from '../../shared/ui/page-frame.tsx';

const AccountCards = lazyPart(async () => (await import('./account-cards.tsx')).AccountCards);

/** One's own account, at the address that leads to it from the account menu. */
export function AccountPage() {
  const { t } = useTranslation('account');
  return (
    <PageFrame title={t('title')}>
      <AccountCards />
    </PageFrame>
  );
}
