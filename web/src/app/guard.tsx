import { role } from '@tollgate/contracts/constants';
import { useTranslation } from 'react-i18next';
import { useSelector } from 'react-redux';
import { Navigate, Outlet, useLocation } from 'react-router';
import { selectSession, useHasRole } from '../shared/session.ts';
import { EmptyState } from '../shared/ui/empty-state.tsx';
import { PageFrame } from '../shared/ui/page-frame.tsx';
import { AccountSwitched } from './account-switched.tsx';

/** Around all pages: nothing of one person's is shown once somebody else has signed in elsewhere. */
export function SamePersonOnly() {
  return useSelector(selectSession).ended === 'switched' ? <AccountSwitched /> : <Outlet />;
}

/** Shows its pages to who is signed in; others go to the sign-in page, which leads them back. */
export function SignedInOnly() {
  const { user, ended } = useSelector(selectSession);
  const location = useLocation();
  if (user) return <Outlet />;
  if (ended === 'left') return <Navigate to="/login" replace />;
  const next = encodeURIComponent(location.pathname + location.search);
  return <Navigate to={`/login?${ended === 'expired' ? 'expired=true&' : ''}next=${next}`} replace />;
}

export function AdminOnly() {
  return <RankedOnly least={role.admin} title="forbidden.title" text="forbidden.text" />;
}

export function RootOnly() {
  return <RankedOnly least={role.root} title="forbidden.rootTitle" text="forbidden.rootText" />;
}

interface RankedOnlyProps {
  least: number;
  title: 'forbidden.title' | 'forbidden.rootTitle';
  text: 'forbidden.text' | 'forbidden.rootText';
}

/** Shows its pages to who has the rank; others learn why they see nothing. The server guards the data itself. */
function RankedOnly({ least, title, text }: RankedOnlyProps) {
  const { t } = useTranslation('app');
  if (useHasRole(least)) return <Outlet />;
  return (
    <PageFrame title={t(title)}>
      <EmptyState title={t(text)} />
    </PageFrame>
  );
}
