import { useSyncExternalStore } from 'react';

/** Rows a page can have; the choice is kept for all lists together. */
export const pageSizes = [10, 20, 50, 100] as const;
const defaultPageSize = 10;

export type Density = 'comfortable' | 'compact';

const listeners = new Set<() => void>();

/** What the browser remembers under a key; undefined when nothing, or when storage is blocked. */
export function remembered(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Remembers a value in this browser; undefined forgets it. Blocked storage only costs the memory, never the action. */
export function remember(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // blocked or full
  }
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

/** A remembered value that re-renders whoever shows it when it changes, here or in another tab. */
export function useRemembered(key: string): [string | undefined, (value: string | undefined) => void] {
  const value = useSyncExternalStore(subscribe, () => remembered(key));
  return [value, (next) => remember(key, next)];
}

/** Rows a page, shared by all lists. */
export function usePageSize(): [number, (size: number) => void] {
  const [text, setText] = useRemembered('page-size');
  const size = pageSizes.find((known) => String(known) === text) ?? defaultPageSize;
  return [size, (next) => setText(String(next))];
}

/** How tall rows are. */
export function useDensity(): [Density, (density: Density) => void] {
  const [text, setText] = useRemembered('density');
  return [text === 'compact' ? 'compact' : 'comfortable', (next) => setText(next)];
}
