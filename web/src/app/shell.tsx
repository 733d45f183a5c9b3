import MenuOpenRounded from '@mui/icons-material/MenuOpenRounded';
import MenuRounded from '@mui/icons-material/MenuRounded';
import Box from '@mui/material/Box';
import Drawer from '@mui/material/Drawer';
import IconButton from '@mui/material/IconButton';
import { Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDispatch } from 'react-redux';
import { Outlet, useLocation } from 'react-router';
import { useLeaveQuestion } from '../shared/form/unsaved.ts';
import { useRemembered } from '../shared/preferences.ts';
import { sessionRefreshed, useSessionUser } from '../shared/session.ts';
import { useGetSelfQuery, useGetStatusQuery } from '../shared/site.ts';
import { HintLayer } from '../shared/ui/hint.tsx';
import { lazyPart } from '../shared/ui/lazy-part.tsx';
import { AccountMenu } from './account-menu.tsx';
import { useFocusOnNewPage } from './focus-on-new-page.ts';
import { Foot } from './foot.tsx';
import { LanguageMenu } from './language-menu.tsx';
import { Navigation } from './navigation.tsx';
import { NoticeButton } from './notice-button.tsx';
import { PageComing } from './page-coming.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { SiteNav } from './site-nav.tsx';
import { SkipLink } from './skip-link.tsx';
import { ThemeMenu } from './theme-menu.tsx';

const FactoryPasswordNotice = lazyPart(async () => (await import('../features/session/factory-password-notice.tsx')).FactoryPasswordNotice);

const widths = { full: 200, slim: 56 };

/** The shell of every page for who is signed in: navigation, header, and the page in between. */
export function Shell() {
  const { t } = useTranslation('app');
  const user = useSessionUser();
  const location = useLocation();
  const [drawerOpen, setDrawerOpen] = useState(false);
  const [slim, setSlim] = useSlimNavigation();
  useFreshUser(user !== null);
  useFocusOnNewPage(location.pathname.split('/')[1] ?? '');

  return (
    <Box sx={{ display: 'flex', height: { md: '100dvh' }, minHeight: '100dvh' }}>
      <SkipLink href="#content">{t('skip')}</SkipLink>
      <PageComing />
      <HintLayer />
      <LeaveQuestion />
      <Box
        component="aside"
        sx={{
          display: { xs: 'none', md: 'flex' },
          flexDirection: 'column',
          flex: 'none',
          width: slim ? widths.slim : widths.full,
          borderRight: 1,
          borderColor: 'divider',
        }}
      >
        <Navigation slim={slim} />
      </Box>
      <Drawer
        open={drawerOpen}
        onClose={() => setDrawerOpen(false)}
        sx={{ display: { md: 'none' } }}
        slotProps={{ paper: { 'aria-label': t('navigation'), sx: { width: 260, maxWidth: '80vw' } } }}
      >
        <Navigation slim={false} onNavigate={() => setDrawerOpen(false)} />
        <Box sx={{ mt: 'auto', p: 1, borderTop: 1, borderColor: 'divider', overflow: 'auto', flex: 'none' }}>
          <SiteNav onNavigate={() => setDrawerOpen(false)} />
        </Box>
      </Drawer>
      <Box sx={{ flex: 1, minWidth: 0, display: 'flex', flexDirection: 'column' }}>
        <Box
          component="header"
          sx={{
            display: 'flex',
            alignItems: 'center',
            gap: 0.5,
            height: 48,
            flex: 'none',
            px: { xs: 1, md: 1.5 },
            borderBottom: 1,
            borderColor: 'divider',
            // On a phone the page itself scrolls, and its header stays.
            position: 'sticky',
            top: 0,
            zIndex: 'appBar',
            bgcolor: 'background.default',
          }}
        >
          <IconButton aria-label={t('openNavigation')} onClick={() => setDrawerOpen(true)} sx={{ display: { md: 'none' } }}>
            <MenuRounded />
          </IconButton>
          <IconButton
            aria-label={t(slim ? 'expandNavigation' : 'collapseNavigation')}
            onClick={() => setSlim(!slim)}
            sx={{ display: { xs: 'none', md: 'inline-flex' } }}
          >
            {slim ? <MenuRounded fontSize="small" /> : <MenuOpenRounded fontSize="small" />}
          </IconButton>
          <Box sx={{ flex: 1, minWidth: 0, pl: 1 }}>
            <Box sx={{ display: { xs: 'none', md: 'block' } }}>
              <SiteNav />
            </Box>
          </Box>
          <Shortcuts />
          <NoticeButton />
          <LanguageMenu />
          <ThemeMenu />
          {user && <AccountMenu user={user} />}
        </Box>
        {user?.factoryPassword && <FactoryPasswordNotice />}
        <Box
          component="main"
          id="content"
          tabIndex={-1}
          sx={{ flex: 1, minHeight: 0, minWidth: 0, display: 'flex', flexDirection: 'column', outline: 'none', overflow: { md: 'auto' } }}
        >
          <Suspense fallback={null}>
            <Outlet />
          </Suspense>
        </Box>
        <Foot slim />
      </Box>
    </Box>
  );
}

/** By itself: the shell is not drawn again with what the question waits for. */
function LeaveQuestion(): null {
  useLeaveQuestion();
  return null;
}

/** Collapsed or not: as this person left it, else as the site starts. */
function useSlimNavigation(): [boolean, (slim: boolean) => void] {
  const [text, setText] = useRemembered('navigation');
  const { data: status } = useGetStatusQuery();
  const slim = text === undefined ? (status?.default_collapse_sidebar ?? false) : text === 'slim';
  return [slim, (next) => setText(next ? 'slim' : 'full')];
}

/** Keeps name, rank and group of the signed-in person as the server has them. */
function useFreshUser(isSignedIn: boolean): void {
  const dispatch = useDispatch();
  const { data } = useGetSelfQuery(undefined, { skip: !isSignedIn });
  useEffect(() => {
    if (data) dispatch(sessionRefreshed(data));
  }, [data, dispatch]);
}
