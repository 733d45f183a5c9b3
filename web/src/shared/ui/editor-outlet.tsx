import { Suspense, useCallback } from 'react';
import { Outlet, useLocation, useNavigate } from 'react-router';
import { WaitingDrawer } from './side-drawer.tsx';

interface EditorOutletProps {
  /** The address of the page below. */
  page: string;
  titles: { add: string; edit: string };
  width?: number;
  /** What the editor may want of the page: `useOutletContext`. */
  context?: unknown;
}

/** Where the editor of a page opens, one at a time: at `add` and at `edit/{id}`, at once, and empty until its code is there. */
export function EditorOutlet({ page, titles, width, context }: EditorOutletProps) {
  const { pathname } = useLocation();
  const close = useCloseEditor(page);
  if (pathname === page) return null;
  const title = pathname.endsWith('/add') ? titles.add : titles.edit;
  return (
    // A boundary of its own for each editor: one that was shown before would keep the page as it was until the code has come.
    <Suspense key={pathname} fallback={<WaitingDrawer title={title} width={width} onClose={close} />}>
      <Outlet context={context} />
    </Suspense>
  );
}

/** Leaves an editor for the page below. The editor's step in the history becomes the page's, so that Back does not open it again. */
export function useCloseEditor(page: string): () => void {
  const navigate = useNavigate();
  const { search } = useLocation();
  return useCallback(() => void navigate(page + search, { replace: true }), [navigate, page, search]);
}
