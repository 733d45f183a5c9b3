import { isoTime } from '@tollgate/contracts/calendar';
import i18next from 'i18next';
import { type MoneyDisplay, viewerZone } from './format.ts';
import type { CellValue, Column } from './ui/column.ts';

type CsvColumn<Row> = Pick<Column<Row>, 'header' | 'value' | 'exported'>;

interface PlainColumn<Row> {
  header: string;
  value: (row: Row) => CellValue;
}

/**
 * Rows as comma-separated values, headers first (RFC 4180). Amounts come in dollars and as raw quota, times with the offset of their zone. A text that
 * a spreadsheet would run as a formula begins with an apostrophe (https://owasp.org/www-community/attacks/CSV_Injection).
 */
export function csvOf<Row>(columns: CsvColumn<Row>[], rows: Row[], money?: MoneyDisplay): string {
  const plain = columns.flatMap((column) => plainColumns(column, money));
  const lines = [plain.map(({ header }) => header), ...rows.map((row) => plain.map(({ value }) => value(row)))];
  return lines.map((cells) => `${cells.map(field).join(',')}\r\n`).join('');
}

function plainColumns<Row>({ header, value, exported }: CsvColumn<Row>, money?: MoneyDisplay): PlainColumn<Row>[] {
  if (exported === undefined) return [{ header, value }];
  const { as, of } = exported;
  const mapped = (row: Row, map: (amount: number) => CellValue): CellValue => {
    const amount = of(row);
    return amount === '' ? '' : map(amount);
  };
  if (as === 'time') return [{ header, value: (row) => mapped(row, (seconds) => isoTime(seconds, viewerZone)) }];
  const raw = { header: i18next.t('shared:table.inUnit', { name: header, unit: i18next.t('shared:table.quotaUnit') }), value: of };
  if (!money?.asCurrency) return [raw];
  // Exact, without grouping: spreadsheets add it up.
  const dollars = (row: Row): CellValue => mapped(row, (quota) => Number((quota / money.quotaPerUnit).toFixed(10)));
  return [{ header: i18next.t('shared:table.inUnit', { name: header, unit: 'USD' }), value: dollars }, raw];
}

function field(value: CellValue): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = (value ?? '').replace(/^(?=[=+\-@\t\r])/, "'");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
