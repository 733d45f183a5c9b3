import { useEffect, useRef } from 'react';

/** Moves focus to the heading of a page one has gone to, as a browser's own navigation would. */
export function useFocusOnNewPage(page: string): void {
  const last = useRef(page);
  useEffect(() => {
    if (last.current === page) return;
    last.current = page;
    document.querySelector('h1')?.focus({ preventScroll: true });
  }, [page]);
}
