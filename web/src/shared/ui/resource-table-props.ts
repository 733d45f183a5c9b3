import type { ReactNode } from 'react';
import type { List } from '../list.ts';
import type { Column } from './column.ts';
import type { WholeList } from './table-view.tsx';
import type { Selection } from './use-selection.ts';

/** What a list is sorted by; undefined is the order the server gives by itself. */
export interface Sort {
  by: { column: string; descending: boolean } | undefined;
  onChange: (by: Sort['by']) => void;
}

export interface ResourceTableProps<Row extends { id: number | string }> {
  /** Under this name the choice of columns is remembered. */
  name: string;
  label: string;
  list: List<Row>;
  page: number;
  onPage: (page: number, quietly?: boolean) => void;
  empty: ReactNode;
  /** Rows are drawn again when one of these changes: hand in functions that stay the same. */
  columns: Column<Row>[];
  actions?: (row: Row) => ReactNode;
  muted?: (row: Row) => boolean;
  detail?: (row: Row) => ReactNode;
  selection?: Selection<Row>;
  /** The call that answers the whole list as a file, under the filters that are set. */
  whole?: WholeList;
  /** How the server sorts. Without it sortable columns sort the rows that are here. */
  sort?: Sort;
  /** Rows that lie under a row and show when it opens. */
  subRows?: (row: Row) => Row[] | undefined;
}
