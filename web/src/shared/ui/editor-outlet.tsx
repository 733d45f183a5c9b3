import { Suspense } from 'react';
import { Outlet, useLocation } from 'react-router';
import { WaitingDrawer } from './side-drawer.tsx';
import { useCloseEditor } from './use-close-editor.ts';

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
