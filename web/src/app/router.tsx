import i18next from 'i18next';
import type { ComponentType } from 'react';
import { createBrowserRouter, Navigate } from 'react-router';
import { AdminOnly } from './admin-only.tsx';
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
        // Not part of the first load: who signs in needs no menus.
        lazy: async () => ({ Component: (await import('./layout.tsx')).SignedInLayout }),
        children: [
          {
            ErrorBoundary: PageError,
            children: [
              { index: true, element: <Navigate to="/token" replace /> },
              { path: 'log', lazy: page('logs', async () => (await import('../features/logs/logs-page.tsx')).LogsPage) },
              { path: 'token', lazy: page('tokens', async () => (await import('../features/tokens/tokens-page.tsx')).TokensPage) },
              { path: '*', Component: NotFoundPage },
              {
                Component: AdminOnly,
                children: [
                  {
                    path: 'channel',
                    lazy: page('channels', async () => (await import('../features/channels/channels-page.tsx')).ChannelsPage),
                    children: ['add', 'edit/:id'].map((path) => ({
                      path,
                      lazy: page('channels', async () => (await import('../features/channels/channel-drawer.tsx')).ChannelDrawer),
                    })),
                  },
                  {
                    path: 'user',
                    lazy: page('users', async () => (await import('../features/users/users-page.tsx')).UsersPage),
                    children: ['add', 'edit/:id'].map((path) => ({
                      path,
                      lazy: page('users', async () => (await import('../features/users/user-drawer.tsx')).UserDrawer),
                    })),
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
]);
