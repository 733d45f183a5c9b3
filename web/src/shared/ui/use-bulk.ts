import { mostInBulk } from '@tollgate/contracts/constants';
import { useState } from 'react';
import type { List } from '../list.ts';
import type { RowAction } from './row-menu.tsx';
import type { Selection } from './use-selection.ts';

/** The rows that a bulk edit is of: those that are selected, or all that the filters leave. */
export type BulkRows<Filter> = { ids: number[] } | { filter: Filter };

export interface Bulk<Filter> {
  rows: BulkRows<Filter>;
  count: number;
  /** Takes all that match instead; undefined where that is no more than what is selected, or too many. */
  takeAll: ((label: string) => RowAction) | undefined;
  clear: () => void;
}

/** What is selected of a list, for one call of the server. All that match are named by the filters; others of these, and it is off. */
export function useBulk<Filter, Row extends { id: number }>(selection: Selection<Row>, list: List<Row>, filter: Filter): Bulk<Filter> {
  const [allOf, setAllOf] = useState<string>();
  const asked = JSON.stringify(filter);
  const isAll = allOf === asked && selection.rows.length > 0;
  const isOffered = !isAll && !list.isMore && list.total > selection.rows.length && list.total <= mostInBulk;
  return {
    rows: isAll ? { filter } : { ids: selection.rows.map(({ id }) => id) },
    count: isAll ? list.total : selection.rows.length,
    takeAll: isOffered ? (label) => ({ key: 'all', label, run: () => setAllOf(asked) }) : undefined,
    clear: () => {
      setAllOf(undefined);
      selection.clear();
    },
  };
}
