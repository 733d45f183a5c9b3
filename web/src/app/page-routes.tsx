import SignpostOutlined from '@mui/icons-material/SignpostOutlined';
import Button from '@mui/material/Button';
import { role } from '@tollgate/contracts/constants';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, type RouteObject } from 'react-router';
import type { FeaturePage } from '../shared/page.ts';
import { loadPart } from '../shared/parts.ts';
import { useSessionUser } from '../shared/session.ts';
import { EmptyState } from '../shared/ui/empty-state.tsx';
import { lazyPart } from '../shared/ui/lazy-part.tsx';
import { PageFrame } from '../shared/ui/page-frame.tsx';
import { useCloseEditor } from '../shared/ui/use-close-editor.ts';
import { AdminOnly, RootOnly, SignedInOnly } from './guard.tsx';
import { type LoadPage, loadWithTexts } from './load-with-texts.ts';
import { PageError } from './page-error.tsx';
import { pages } from './pages.ts';

function routeOf({ path, params, feature, load, loadEditor }: FeaturePage, loadPage: LoadPage): RouteObject {
  const route: RouteObject = { path: `${path}${params ?? ''}`, lazy: () => loadPage(feature, load) };
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

/** All pages but those before the door: what one must have signed in for, and be an administrator for; what is for everybody. */
export function pageRoutes(loadPage: LoadPage): RouteObject[] {
  /** The pages of some ranks. */
  const within = (least: number, below: number): RouteObject[] =>
    pages.filter(({ rank }) => rank >= least && rank < below).map((page) => routeOf(page, loadPage));
  return [
    {
      Component: SignedInOnly,
      children: [
        shellAround([
          ...within(role.user, role.admin),
          { Component: AdminOnly, children: within(role.admin, role.root) },
          { Component: RootOnly, children: within(role.root, Number.POSITIVE_INFINITY) },
        ]),
      ],
    },
    openPages([
      { index: true, lazy: () => loadPage('site', async () => (await import('../features/site/home-page.tsx')).HomePage) },
      { path: 'about', lazy: () => loadPage('site', async () => (await import('../features/site/about-page.tsx')).AboutPage) },
      ...within(role.guest, role.user),
      { path: '*', Component: NotFoundPage },
    ]),
  ];
}

function NotFoundPage() {
  const { t } = useTranslation('app');
  const user = useSessionUser();
  return (
    <PageFrame title={t('notFound.title')}>
      <EmptyState
        icon={<SignpostOutlined />}
        title={t('notFound.text')}
        action={
          <Button component={Link} to={user ? '/token' : '/'} variant="outlined">
            {t(user ? 'notFound.back' : 'notFound.home')}
          </Button>
        }
      />
    </PageFrame>
  );
}
