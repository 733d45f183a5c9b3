import type { CellValue, Column } from './ui/column.ts';

type CsvColumn<Row> = Pick<Column<Row>, 'header' | 'value'>;

/**
 * Rows as comma-separated values, headers first (RFC 4180). A text that a spreadsheet would run as a formula begins with an
 * apostrophe (https://owasp.org/www-community/attacks/CSV_Injection).
 */
export function csvOf<Row>(columns: CsvColumn<Row>[], rows: Row[]): string {
  const lines = [columns.map((column) => column.header), ...rows.map((row) => columns.map((column) => column.value(row)))];
  return lines.map((cells) => `${cells.map(field).join(',')}\r\n`).join('');
}

function field(value: CellValue): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = (value ?? '').replace(/^(?=[=+\-@\t\r])/, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
