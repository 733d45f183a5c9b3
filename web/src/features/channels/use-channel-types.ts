import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { loadPart } from '../../shared/parts.ts';

type Known = typeof import('./channel-type.ts');
let known: Known | undefined;

/** What a list says of channel types. Their data, which is long, comes after the page; until then they have no names. */
export function useChannelTypes() {
  const { i18n } = useTranslation();
  const [types, setTypes] = useState(known);
  useEffect(() => {
    if (types) return;
    let isShown = true;
    const take = (loaded: Known): void => {
      known = loaded;
      if (isShown) setTypes(loaded);
    };
    loadPart(() => import('./channel-type.ts')).then(take, () => undefined); // the list is of use without
    return () => {
      isShown = false;
    };
  }, [types]);
  return useMemo(
    () => ({
      nameOf: (type: number): string => types?.typeName(type, i18n.language) ?? '',
      tellsBalance: (type: number): boolean => types?.tellsBalance(type) ?? false,
    }),
    [types, i18n.language],
  );
}
