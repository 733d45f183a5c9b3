import { useSyncExternalStore } from 'react';

const phone = matchMedia('(max-width: 767.95px)');

function subscribe(listener: () => void): () => void {
  phone.addEventListener('change', listener);
  return () => phone.removeEventListener('change', listener);
}

/** Whether rows are cards, which show the most of them when they are opened: the width at which resource-table-styles.ts makes them so. */
export function useIsPhone(): boolean {
  return useSyncExternalStore(subscribe, () => phone.matches);
}
