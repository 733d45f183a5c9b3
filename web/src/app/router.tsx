import { createBrowserRouter, createPath, type RouteObject } from 'react-router';
import { LoginPage } from '../features/session/login-page.tsx';
import { loadPart, PartMissing } from '../shared/parts.ts';
import { SamePersonOnly } from './guard.tsx';
import { type LoadPage, loadWithTexts } from './load-with-texts.ts';
import { PageError } from './page-error.tsx';

/** A page. Where the server has newer ones than this and the way there was free, the browser goes there itself, and gets them. */
const loadPage: LoadPage = async (texts, load) => {
  try {
    return { Component: await loadWithTexts(texts, load) };
  } catch (error) {
    const target = router.state.navigation.location;
    if (!target || !(error instanceof PartMissing) || !error.isUpgraded) throw error;
    location.assign(createPath(target));
    return new Promise(() => undefined);
  }
};

/** Until the first page is there. */
function Nothing() {
  return null;
}

/** Sign-in and what belongs to it. All other pages, with their icons and guards, are no part of the first load. */
const root: RouteObject = {
  id: 'root',
  Component: SamePersonOnly,
  ErrorBoundary: PageError,
  HydrateFallback: Nothing,
  children: [
    {
      path: '/login',
      // Its code comes with the first load, of which it is the reason; its texts in the language of the page do not.
      lazy: () => loadPage('session', async () => LoginPage),
    },
    {
      path: '/register',
      lazy: () => loadPage(['session', 'door'], async () => (await import('../features/session/register-page.tsx')).RegisterPage),
    },
    {
      path: '/oauth/:provider',
      lazy: () => loadPage(['session', 'door'], async () => (await import('../features/session/oauth-page.tsx')).OAuthPage),
    },
    {
      path: '/reset',
      lazy: () => loadPage(['session', 'door'], async () => (await import('../features/session/forgotten-page.tsx')).ForgottenPage),
    },
    {
      path: '/user/reset',
      lazy: () => loadPage(['session', 'door'], async () => (await import('../features/session/new-password-page.tsx')).NewPasswordPage),
    },
  ],
};

let coming: Promise<RouteObject[]> | undefined;
function comePages(): Promise<RouteObject[]> {
  coming ??= loadPart(async () => (await import('./page-routes.tsx')).pageRoutes(loadPage)).catch((error: unknown) => {
    coming = undefined; // asked for again with the next step
    throw error;
  });
  return coming;
}

let arePatched = false;
export const router = createBrowserRouter([root], {
  async patchRoutesOnNavigation({ patch }) {
    if (arePatched) return;
    patch('root', await comePages());
    arePatched = true;
  },
});
