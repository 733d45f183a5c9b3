import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'react-router';

/** The page of a list, from 1; it lives in the URL, so a reload or a shared link shows the same rows. `quietly` as below. */
export function usePageParam(): [number, (page: number, quietly?: boolean) => void] {
  const [params, setParams] = useSearchParams();
  const page = Math.max(1, Number.parseInt(params.get('p') ?? '1', 10) || 1);
  const setPage = useCallback(
    (next: number, quietly = false) =>
      setParams(
        () => {
          const changed = current();
          if (next <= 1) changed.delete('p');
          else changed.set('p', String(next));
          return changed;
        },
        { replace: quietly },
      ),
    [setParams],
  );
  return [page, setPage];
}

/** The parameters of the URL now. Those that were rendered last may lack a change from just before, which would be lost. */
function current(): URLSearchParams {
  return new URLSearchParams(window.location.search);
}

export interface UrlFilters<Name extends string> {
  values: Record<Name, string>;
  /** Sets what is named, '' clearing it, and goes back to the first page. `quietly` adds no step to the browser's history. */
  set: (changes: Partial<Record<Name, string>>, quietly?: boolean) => void;
  clear: () => void;
  anySet: boolean;
}

/** What values of filters mean something; a filter that is not named takes any text. */
export type KnownValues<Name extends string> = Partial<Record<Name, readonly string[] | RegExp>>;

/** A value that means something, else '': what is not applied must not look like a filter. */
export function knownValue(text: string, known: readonly string[] | RegExp | undefined): string {
  if (known === undefined) return text;
  return (known instanceof RegExp ? known.test(text) : known.includes(text)) ? text : '';
}

/** The filters of a list, each a parameter of the URL. `names` and `known` must not change between renders. */
export function useUrlFilters<const Name extends string>(names: readonly Name[], known?: KnownValues<Name>): UrlFilters<Name> {
  const [params, setParams] = useSearchParams();
  const values = useMemo(
    () => Object.fromEntries(names.map((name) => [name, knownValue(params.get(name) ?? '', known?.[name])])) as Record<Name, string>,
    [names, known, params],
  );
  const set = useCallback(
    (changes: Partial<Record<Name, string>>, quietly = false) =>
      setParams(
        () => {
          const changed = current();
          changed.delete('p');
          for (const [name, value] of Object.entries(changes) as [string, string | undefined][]) {
            if (value) changed.set(name, value);
            else changed.delete(name);
          }
          return changed;
        },
        { replace: quietly },
      ),
    [setParams],
  );
  const clear = useCallback(() => set(Object.fromEntries(names.map((name) => [name, ''])) as Record<Name, string>), [names, set]);
  return { values, set, clear, anySet: names.some((name) => values[name] !== '') };
}
