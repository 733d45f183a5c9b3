import { useEffect } from 'react';

/** Kept outside: the pages for everybody have a shell of their own around them. */
let last: string | undefined;

/** Moves focus to the heading of a page one has gone to, as a browser's own navigation would. */
export function useFocusOnNewPage(page: string): void {
  useEffect(() => {
    if (last !== undefined && last !== page) document.querySelector('h1')?.focus({ preventScroll: true });
    last = page;
  }, [page]);
}
