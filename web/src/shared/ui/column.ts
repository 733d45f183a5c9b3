import type { ReactNode } from 'react';

/** A column of a list. */
export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  align?: 'right';
  /** What the row is called: stands out, stays in sight when the table scrolls sideways, heads the card on a phone. */
  primary?: boolean;
  /** Long texts end in an ellipsis. */
  clip?: boolean;
  /** Not shown until someone asks for it. */
  hidden?: boolean;
}
