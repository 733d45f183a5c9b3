import type { PricingRow, PricingView } from '@tollgate/contracts/api/pricing';
import { useMemo } from 'react';
import type { List } from '../../shared/list.ts';

export type Model = PricingRow & { id: string };

interface Asked {
  data?: PricingView | undefined;
  error?: unknown;
  isFetching: boolean;
  refetch: () => unknown;
}

export interface Wish {
  keyword: string;
  /** '0' by tokens, '1' by the call, '' both. */
  type: string;
  /** '' shows those of all groups. */
  only: string;
  page: number;
  size: number;
}

/** All models, and the page of those that are wanted. The server sends them all at once; they are sifted here. */
export function useModels({ data, error, isFetching, refetch }: Asked, wish: Wish): { list: List<Model>; all: Model[] } {
  const { keyword, type, only, page, size } = wish;
  const all = useMemo(() => modelsOf(data?.data ?? []), [data]);
  const wanted = useMemo(() => {
    const part = keyword.trim().toLowerCase();
    return all.filter(
      (model) =>
        model.model_name.toLowerCase().includes(part) &&
        (type === '' || String(model.quota_type) === type) &&
        (only === '' || model.enable_groups.includes(only)),
    );
  }, [all, keyword, type, only]);
  const list = useMemo(
    () => ({
      rows: data && wanted.slice((page - 1) * size, page * size),
      total: wanted.length,
      isMore: false,
      loading: isFetching,
      error,
      refresh: () => void refetch(),
      question: data && JSON.stringify({ keyword, type, only, page, page_size: size }),
    }),
    [data, wanted, page, size, isFetching, error, refetch, keyword, type, only],
  );
  return { list, all };
}

/** Names that begin with `gpt` come first, as people look for them there; then by the alphabet. */
function modelsOf(rows: PricingRow[]): Model[] {
  const { compare } = new Intl.Collator();
  const isFirst = ({ model_name: name }: PricingRow): number => (name.startsWith('gpt') ? 0 : 1);
  return rows.map((row) => ({ ...row, id: row.model_name })).sort((a, b) => isFirst(a) - isFirst(b) || compare(a.model_name, b.model_name));
}
