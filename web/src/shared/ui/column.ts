import type { ReactNode } from 'react';

/** What a cell stands for in one word or number: what is sorted by and what a spreadsheet gets. */
export type CellValue = string | number | boolean | null | undefined;

/** A column of a list. */
export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  value: (row: Row) => CellValue;
  /** What a spreadsheet gets instead of `value`: a quota, as dollars and raw, or unix seconds, as ISO 8601; '' for none. */
  exported?: { as: 'quota' | 'time'; of: (row: Row) => number | '' };
  align?: 'right';
  /** What the row is called: stands out, stays in sight when the table scrolls sideways, heads the card on a phone. */
  primary?: boolean;
  /** Long texts end in an ellipsis; `short` ones early, for the opened row has them whole. */
  clip?: boolean | 'short';
  /** Not shown until someone asks for it. */
  hidden?: boolean;
  /** Stands on the closed card of a phone: with its header before it, or `bare`. At most four do; the others show when it is opened. */
  phone?: 'bare' | 'figure';
  /** Left to the opened row where the table has less room than that, cards on a phone aside; where `wide` is asked for the row's own detail must tell it. */
  needs?: 'middle' | 'wide';
  /** Its header sorts the list. */
  sortable?: boolean;
}

/** What people call a row: the value of its primary column, else its id. */
export function rowName<Row extends { id: number | string }>(columns: Column<Row>[], row: Row): string {
  return String(columns.find((column) => column.primary)?.value(row) || row.id);
}
