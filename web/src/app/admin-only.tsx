import { role } from '@tollgate/contracts/constants';
import { useTranslation } from 'react-i18next';
import { Outlet } from 'react-router';
import { useHasRole, useSessionUser } from '../shared/session.ts';
import { EmptyState } from '../shared/ui/empty-state.tsx';
import { PageFrame } from '../shared/ui/page-frame.tsx';

/** Shows its pages to administrators; others learn why they see nothing. The server guards the data itself. */
export function AdminOnly() {
  const { t } = useTranslation('app');
  const allowed = useHasRole(role.admin);
  const user = useSessionUser();
  if (allowed || !user) return <Outlet />;
  return (
    <PageFrame title={t('forbidden.title')}>
      <EmptyState title={t('forbidden.text')} />
    </PageFrame>
  );
}
