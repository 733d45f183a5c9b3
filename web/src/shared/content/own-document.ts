import { contentPageOf } from '@tollgate/contracts/content-pages';
import { useEffect } from 'react';

const loadedFor = contentPageOf(location.pathname);

/**
 * A document may load only from the hosts that the operator's content of its own page names. Reached from another page without a load, content
 * of other hosts has the page loaded again; false until then.
 */
export function useOwnDocument(hasOtherHosts: boolean): boolean {
  const isOwn = !hasOtherHosts || contentPageOf(location.pathname) === loadedFor;
  useEffect(() => {
    if (!isOwn) location.reload();
  }, [isOwn]);
  return isOwn;
}
