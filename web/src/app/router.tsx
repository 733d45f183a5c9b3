import i18next from 'i18next';
import type { ComponentType } from 'react';
import { createBrowserRouter, Navigate } from 'react-router';
import { AdminOnly, SignedInLayout } from './layout.tsx';
import { NotFoundPage } from './not-found-page.tsx';
import { PageError } from './page-error.tsx';

/** A page with its code and texts, both loaded when someone goes there, side by side. */
function page(
  texts: 'session' | 'tokens' | 'channels' | 'users' | 'logs',
  load: () => Promise<ComponentType>,
): () => Promise<{ Component: ComponentType }> {
  return async () => {
    const [Component] = await Promise.all([load(), i18next.loadNamespaces(texts)]);
    return { Component };
  };
}

export const router = createBrowserRouter([
  {
    ErrorBoundary: PageError,
    HydrateFallback: () => null,
    children: [
      { path: '/login', lazy: page('session', async () => (await import('../features/session/login-page.tsx')).LoginPage) },
      {
        Component: SignedInLayout,
        children: [
          {
            ErrorBoundary: PageError,
            children: [
              { index: true, element: <Navigate to="/token" replace /> },
              { path: 'token', lazy: page('tokens', async () => (await import('../features/tokens/tokens-page.tsx')).TokensPage) },
              { path: '*', Component: NotFoundPage },
              { Component: AdminOnly, children: [] },
            ],
          },
        ],
      },
    ],
  },
]);
