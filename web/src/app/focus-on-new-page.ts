import { useEffect } from 'react';
import { useNavigationType } from 'react-router';

/** Kept outside: the pages for everybody have a shell of their own around them. */
let last: string | undefined;

/** Moves focus to the heading of a page one has gone to, and its top into sight, as a browser's own navigation would. */
export function useFocusOnNewPage(page: string): void {
  const isBack = useNavigationType() === 'POP';
  useEffect(() => {
    if (last !== undefined && last !== page) {
      document.querySelector('h1')?.focus({ preventScroll: true });
      document.querySelector('main')?.scroll(0, 0);
      // Where the window scrolls, the browser itself knows how far a page was that one comes back to.
      if (!isBack) scroll(0, 0);
    }
    last = page;
  }, [page, isBack]);
}
