import type { RedemptionView } from '@tollgate/contracts/api/redemption';
import { csvOf } from '../../shared/csv.ts';
import type { Column } from '../../shared/ui/column.ts';

/** Codes that were made together. */
export interface CodesMade {
  name: string;
  quota: number;
  keys: string[];
}

type Code = Pick<RedemptionView, 'key' | 'name' | 'quota'>;

const columns: Pick<Column<Code>, 'header' | 'value'>[] = [
  { header: 'code', value: ({ key }) => key },
  { header: 'name', value: ({ name }) => name },
  { header: 'quota', value: ({ quota }) => quota },
];

/** Codes as a table for whoever hands them out. */
export function codesAsCsv(codes: Code[]): string {
  return csvOf(columns, codes);
}
