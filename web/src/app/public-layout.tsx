import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Outlet, useLocation } from 'react-router';
import { useSessionUser } from '../shared/session.ts';
import { useGetStatusQuery } from '../shared/site.ts';
import { AccountMenu } from './account-menu.tsx';
import { Brand } from './brand.tsx';
import { useFocusOnNewPage } from './focus-on-new-page.ts';
import { Foot } from './foot.tsx';
import { LanguageMenu } from './language-menu.tsx';
import { NoticeButton } from './notice-button.tsx';
import { PageComing } from './page-coming.tsx';
import { SiteNav } from './site-nav.tsx';
import { SkipLink } from './skip-link.tsx';
import { ThemeMenu } from './theme-menu.tsx';

/** Around the pages that are for everybody: the site's name, the ways through it and into it, and its foot. */
export function PublicLayout() {
  const { t } = useTranslation(['site', 'app']);
  const user = useSessionUser();
  const { data: status } = useGetStatusQuery();
  const { pathname, search } = useLocation();
  useFocusOnNewPage(pathname.split('/')[1] ?? '');
  const next = pathname === '/' ? '' : `?next=${encodeURIComponent(pathname + search)}`;
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', minHeight: '100dvh' }}>
      <SkipLink href="#content">{t('app:skip')}</SkipLink>
      <PageComing />
      <Box
        component="header"
        sx={{
          display: 'flex',
          alignItems: 'center',
          flexWrap: 'wrap',
          columnGap: 0.5,
          px: { xs: 1, md: 2 },
          borderBottom: 1,
          borderColor: 'divider',
          flex: 'none',
        }}
      >
        <Box sx={{ flex: { xs: 1, sm: 'none' }, minWidth: 0, display: 'flex' }}>
          <Brand />
        </Box>
        <Box sx={{ order: { xs: 3, sm: 0 }, flex: { xs: '1 0 100%', sm: 1 }, pl: { sm: 1.5 }, pb: { xs: 0.5, sm: 0 } }}>
          <SiteNav />
        </Box>
        <NoticeButton />
        <LanguageMenu />
        <ThemeMenu />
        {user ? (
          <AccountMenu user={user} />
        ) : (
          <>
            {status?.register_enabled && (
              <Button component={Link} to="/register" color="inherit" sx={{ display: { xs: 'none', sm: 'inline-flex' } }}>
                {t('register')}
              </Button>
            )}
            <Button component={Link} to={`/login${next}`} variant="outlined">
              {t('signIn')}
            </Button>
          </>
        )}
      </Box>
      <Box
        component="main"
        id="content"
        tabIndex={-1}
        sx={{ flex: 1, minWidth: 0, display: 'flex', flexDirection: 'column', outline: 'none' }}
      >
        <Suspense fallback={null}>
          <Outlet />
        </Suspense>
      </Box>
      <Foot />
    </Box>
  );
}
