import { role } from '@tollgate/contracts/constants';
import i18next from 'i18next';
import { type ComponentType, lazy } from 'react';
import { createBrowserRouter, Navigate, type RouteObject } from 'react-router';
import { LoginPage } from '../features/session/login-page.tsx';
import type { FeaturePage } from '../shared/page.ts';
import { AdminOnly, SignedInOnly } from './guard.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { PageError } from './page-error.tsx';
import { pages } from './pages.ts';

/** Code and texts of a page, both loaded when someone goes there, side by side. */
async function loadWithTexts(texts: FeaturePage['feature'] | 'session', load: () => Promise<ComponentType>) {
  const [Component] = await Promise.all([load(), i18next.loadNamespaces(texts)]);
  return { Component };
}

function routeOf({ path, feature, load, loadEditor }: FeaturePage): RouteObject {
  const route: RouteObject = { path, lazy: () => loadWithTexts(feature, load) };
  if (!loadEditor) return route;
  // Not `lazy` as routes are: the page shows an empty drawer at once, while the code of the editor is on its way.
  const Editor = lazy(async () => ({ default: (await loadWithTexts(feature, loadEditor)).Component }));
  return { ...route, children: ['add', 'edit/:id'].map((each) => ({ path: each, element: <Editor /> })) };
}

/** The shell, with the pages of one guard in it. It is no part of the first load: who signs in needs no menus. */
function shellAround(children: RouteObject[]): RouteObject {
  return {
    lazy: async () => ({ Component: (await import('./shell.tsx')).Shell }),
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
      ErrorBoundary: PageError,
      HydrateFallback: Nothing,
      children: [
        {
          path: '/login',
          // Its code comes with the first load, of which it is the reason; its texts in the language of the page do not.
          lazy: () => loadWithTexts('session', async () => LoginPage),
        },
        {
          Component: SignedInOnly,
          children: [
            { index: true, element: <Navigate to="/token" replace /> },
            shellAround([
              ...within(role.user, role.admin),
              { Component: AdminOnly, children: within(role.admin, Number.POSITIVE_INFINITY) },
            ]),
          ],
        },
        shellAround([...within(role.guest, role.user), { path: '*', Component: NotFoundPage }]),
      ],
    },
  ];
}

export const router = createBrowserRouter(routesOf(pages));
