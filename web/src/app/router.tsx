import { role } from '@tollgate/contracts/constants';
import type { ComponentType } from 'react';
import { createBrowserRouter, createPath, type RouteObject } from 'react-router';
import { LoginPage } from '../features/session/login-page.tsx';
import type { FeaturePage } from '../shared/page.ts';
import { loadPart, PartMissing } from '../shared/parts.ts';
import { lazyPart } from '../shared/ui/lazy-part.tsx';
import { useCloseEditor } from '../shared/ui/use-close-editor.ts';
import { AdminOnly, SamePersonOnly, SignedInOnly } from './guard.tsx';
import { loadTexts } from './i18n.ts';
import { NotFoundPage } from './not-found-page.tsx';
import { PageError } from './page-error.tsx';
import { pages } from './pages.ts';

type Texts = FeaturePage['feature'] | 'session' | 'site';

/** Code and texts of a page, both loaded when someone goes there, side by side. */
async function loadWithTexts(texts: Texts, load: () => Promise<ComponentType>): Promise<ComponentType> {
  const [Component] = await Promise.all([loadPart(load), loadTexts(texts)]);
  return Component;
}

/** A page. Where the server has newer ones than this and the way there was free, the browser goes there itself, and gets them. */
async function loadPage(texts: Texts, load: () => Promise<ComponentType>): Promise<{ Component: ComponentType }> {
  try {
    return { Component: await loadWithTexts(texts, load) };
  } catch (error) {
    const target = router.state.navigation.location;
    if (!target || !(error instanceof PartMissing) || !error.isUpgraded) throw error;
    location.assign(createPath(target));
    return new Promise(() => undefined);
  }
}

function routeOf({ path, feature, load, loadEditor }: FeaturePage): RouteObject {
  const route: RouteObject = { path, lazy: () => loadPage(feature, load) };
  if (!loadEditor) return route;
  // Not `lazy` as routes are: the page shows an empty drawer at once, while the code of the editor is on its way.
  const Editor = lazyPart(() => loadWithTexts(feature, loadEditor), { suspends: true });
  const element = <EditorRoute page={`/${path}`} Editor={Editor} />;
  return { ...route, children: ['add', 'edit/:id'].map((each) => ({ path: each, element })) };
}

/** An editor; what is said where its code does not come can be closed. */
function EditorRoute({ page, Editor }: { page: string; Editor: ComponentType<{ onClose: () => void }> }) {
  return <Editor onClose={useCloseEditor(page)} />;
}

/** The shell, with the pages of one guard in it. It is no part of the first load: who signs in needs no menus. */
function shellAround(children: RouteObject[]): RouteObject {
  return {
    lazy: () => loadPart(async () => ({ Component: (await import('./shell.tsx')).Shell })),
    children: [{ ErrorBoundary: PageError, children }],
  };
}

/** The pages that nobody must sign in for. */
function openPages(children: RouteObject[]): RouteObject {
  return {
    lazy: async () => ({ Component: await loadWithTexts('site', async () => (await import('./open-pages.tsx')).OpenPages) }),
    children: [{ ErrorBoundary: PageError, children }],
  };
}

/** Until the first page is there. */
function Nothing() {
  return null;
}

/** The routes of all pages: sign-in alone; what one must have signed in for, and be an administrator for; what is for everybody. */
export function routesOf(all: FeaturePage[]): RouteObject[] {
  const within = (least: number, below: number): RouteObject[] =>
    all.filter(({ rank }) => rank >= least && rank < below).map((page) => routeOf(page));
  return [
    {
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
          lazy: () => loadPage('session', async () => (await import('../features/session/register-page.tsx')).RegisterPage),
        },
        {
          path: '/reset',
          lazy: () => loadPage('session', async () => (await import('../features/session/forgotten-page.tsx')).ForgottenPage),
        },
        {
          path: '/user/reset',
          lazy: () => loadPage('session', async () => (await import('../features/session/new-password-page.tsx')).NewPasswordPage),
        },
        {
          Component: SignedInOnly,
          children: [
            shellAround([
              ...within(role.user, role.admin),
              { Component: AdminOnly, children: within(role.admin, Number.POSITIVE_INFINITY) },
            ]),
          ],
        },
        openPages([
          { index: true, lazy: () => loadPage('site', async () => (await import('../features/site/home-page.tsx')).HomePage) },
          { path: 'about', lazy: () => loadPage('site', async () => (await import('../features/site/about-page.tsx')).AboutPage) },
          ...within(role.guest, role.user),
          { path: '*', Component: NotFoundPage },
        ]),
      ],
    },
  ];
}

export const router = createBrowserRouter(routesOf(pages));
