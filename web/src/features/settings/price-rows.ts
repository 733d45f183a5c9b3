import { completionRatioOf } from '@tollgate/pricing/family-ratios';
import type { Setting } from './api.ts';
import { parsed } from './setting-text.ts';
import type { Drafts } from './use-drafts.ts';

/** The options that a row of the table is made of. */
export const priceKeys = { fixed: 'ModelPrice', ratio: 'ModelRatio', completion: 'CompletionRatio' } as const;
export type PriceColumn = keyof typeof priceKeys;
export type Prices = Record<PriceColumn, Record<string, number>>;

/** What one model costs; a fixed price comes before the ratios. */
export type PriceRow = { model: string } & { [Column in PriceColumn]?: number | undefined };

/** The three price lists as they are typed or stored; undefined where one of them cannot be read. */
export function pricesIn(settings: readonly Setting[], drafts: Pick<Drafts, 'textOf'>): Prices | undefined {
  const lists = Object.entries(priceKeys).map(([column, key]) => {
    const setting = settings.find((each) => each.key === key);
    const value = setting && parsed(drafts.textOf(setting));
    return [column, typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined] as const;
  });
  if (lists.some(([, list]) => list === undefined)) return undefined;
  return Object.fromEntries(lists) as Prices;
}

/** A row for each model that has a price, and for each that channels offer and that has none. */
export function rowsOf(prices: Prices, offered: readonly string[]): PriceRow[] {
  const names = new Set([...Object.keys(prices.fixed), ...Object.keys(prices.ratio), ...Object.keys(prices.completion), ...offered]);
  return [...names].sort((one, other) => one.localeCompare(other)).map((model) => rowOf(prices, model));
}

function rowOf({ fixed, ratio, completion }: Prices, model: string): PriceRow {
  const of = (list: Record<string, number>): number | undefined => (Object.hasOwn(list, model) ? list[model] : undefined);
  return { model, fixed: of(fixed), ratio: of(ratio), completion: of(completion) };
}

/** The completion ratio that calls are charged by: the built-in rules of model families count as well, some even before the lists. */
export function effectiveCompletion({ completion }: Prices, model: string): number {
  return completionRatioOf(model, completion);
}

/** Names with a `*` at their end price all that begin so. */
export function isUnpriced({ model, fixed, ratio }: PriceRow, prices: Prices): boolean {
  if (fixed !== undefined || ratio !== undefined) return false;
  return ![...Object.keys(prices.fixed), ...Object.keys(prices.ratio)].some(
    (name) => name.endsWith('*') && model.startsWith(name.slice(0, -1)),
  );
}

/** The lists with these rows in the place of what they said of the same models. */
export function withRows(prices: Prices, rows: readonly PriceRow[]): Prices {
  const changed: Prices = { fixed: { ...prices.fixed }, ratio: { ...prices.ratio }, completion: { ...prices.completion } };
  for (const { model, ...row } of rows) {
    for (const column of Object.keys(priceKeys) as PriceColumn[]) {
      const value = row[column];
      if (value === undefined) delete changed[column][model];
      else changed[column][model] = value;
    }
  }
  return changed;
}

/** A number as people type one; undefined for an empty field, `NaN` for what is none. */
export function numberIn(text: string): number | undefined {
  const digits = text.trim();
  if (digits === '') return undefined;
  return /^\d+(\.\d+)?$/.test(digits) ? Number(digits) : Number.NaN;
}

export interface Pasted {
  rows: PriceRow[];
  /** Lines that cannot be read, from 1. */
  wrong: { line: number; text: string }[];
}

/** Lines of a sheet: a name with its ratio and completion ratio, or with a fixed price in dollars. A line of headings at the top is passed over. */
export function pastedRows(text: string): Pasted {
  const rows = new Map<string, PriceRow>();
  const wrong: Pasted['wrong'] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const [model = '', first = '', second = ''] = line.trim().split(/\s*[\t,;]\s*|\s+/);
    if (model === '') continue;
    const isFixed = first.startsWith('$');
    const values = [numberIn(isFixed ? first.slice(1) : first), numberIn(second)];
    const isRead = values[0] !== undefined && !values.some(Number.isNaN);
    if (isRead) rows.set(model, isFixed ? { model, fixed: values[0] } : { model, ratio: values[0], completion: values[1] });
    else if (index > 0 || /\d/.test(first)) wrong.push({ line: index + 1, text: line.trim().slice(0, 80) });
  }
  return { rows: [...rows.values()], wrong };
}
