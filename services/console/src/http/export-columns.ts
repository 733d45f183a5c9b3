import { isoTime, type Language, type MoneyDisplay } from '@tollgate/contracts';
import { exportHeadings } from './export-headings.ts';

/** For whom a file is written: its headings, the time zone of its times, and how amounts are shown. */
export interface ExportReader {
  language: Language;
  /** IANA name. */
  zone: string;
  money: MoneyDisplay;
}

/** What values of fields are called, such as types of log rows. */
export type ValueNames = Readonly<Record<string, Readonly<Record<string, Record<Language, string>>>>>;

/** A column of a file for people. */
interface CsvColumn<View> {
  heading: string;
  value: (row: View) => unknown;
}

const units = { en: (name: string, unit: string) => `${name} (${unit})`, zh: (name: string, unit: string) => `${name}（${unit}）` };
const quotaUnit = { en: 'raw quota', zh: '原始额度' };

/** The columns of a file as people read them: times in ISO 8601 with the offset of the zone, amounts in dollars beside the raw quota. */
export function csvColumns<View extends object>(
  names: readonly (keyof View & string)[],
  { language, zone, money }: ExportReader,
  valueNames: ValueNames = {},
): CsvColumn<View>[] {
  return names.flatMap((name): CsvColumn<View>[] => {
    const heading = exportHeadings[name]?.[language] ?? name;
    if (isTime(name)) return [{ heading, value: (row) => timeText(row[name], zone) }];
    const words = valueNames[name];
    if (words) return [{ heading, value: (row) => words[String(row[name])]?.[language] ?? row[name] }];
    if (!isQuota(name)) return [{ heading, value: (row) => row[name] }];
    const raw = { heading: units[language](heading, quotaUnit[language]), value: (row: View) => row[name] };
    const dollars = { heading: units[language](heading, 'USD'), value: (row: View) => dollarsOf(row[name], money.quotaPerUnit) };
    return money.asCurrency ? [dollars, raw] : [raw];
  });
}

function isTime(name: string): boolean {
  return /_(?:time|at)$/.test(name) && name !== 'use_time' && name !== 'response_time';
}

function isQuota(name: string): boolean {
  return name === 'uncollected' || (/(?:^|_)quota$/.test(name) && name !== 'unlimited_quota');
}

/** Later than any moment in unix seconds: drawings have milliseconds. */
const firstMilliseconds = 1e11;

/** '' for a time that is none, such as that of what never expires. */
function timeText(value: unknown, zone: string): unknown {
  if (typeof value !== 'number') return value;
  if (value <= 0) return '';
  return isoTime(value < firstMilliseconds ? value : value / 1000, zone);
}

/** Exact, without grouping or exponent: spreadsheets add it up. */
function dollarsOf(quota: unknown, quotaPerUnit: number): unknown {
  return typeof quota === 'number' ? Number((quota / quotaPerUnit).toFixed(10)) : quota;
}
