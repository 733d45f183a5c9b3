import { useLocation } from 'react-router';
import { useSessionUser } from '../shared/session.ts';
import { PublicLayout } from './public-layout.tsx';
import { Shell } from './shell.tsx';

/** Pages of the site itself, which look the same for everybody. */
const sitePages = ['/', '/about'];

/** Around the pages that nobody must sign in for: who has keeps the console around them, but for the site's own. */
export function OpenPages() {
  const user = useSessionUser();
  const { pathname } = useLocation();
  return user && !sitePages.includes(pathname) ? <Shell /> : <PublicLayout />;
}
