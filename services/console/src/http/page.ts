import { type Page, pageSizeOf, totalCap } from '@tollgate/contracts';

interface PageAsked {
  p: number;
  page_size?: number | undefined;
  size?: number | undefined;
}

/** How long a list may keep the database busy. */
export const listTimeoutMs = 5000;

export interface Slice {
  page: number;
  size: number;
  skip: number;
}

/** How many rows a page's total asks for at most, and how long it may look for them. */
export interface CountLimits {
  limit: number;
  maxTimeMS: number;
}

/** The longest a count may take of what grows for ever, by filters that together have no index: a page should not wait for its total. */
export const shortCountMs = 30;

/** How many rows a list has. */
export interface Total {
  count: number;
  /** There are more than `count`; how many is not known. */
  isMore: boolean;
}

/** Rows that are looked up beyond those of a page: two, so that a total which could not be counted is one that is surely exceeded. */
export const lookAhead = 2;

interface Found<Row> {
  rows: Row[];
  /** How many of the rows behind the page were found, up to `lookAhead`. */
  beyond: number;
}

/** A page of rows, found with those that it looks ahead, and how many there are. */
export async function rowsAndTotal<Row>(
  slice: Slice,
  find: (limit: number) => PromiseLike<Row[]>,
  count: (limits: CountLimits) => PromiseLike<number>,
  maxTimeMS = listTimeoutMs,
): Promise<{ rows: Row[]; total: Total }> {
  const found = await find(slice.size + lookAhead);
  const rows = found.slice(0, slice.size);
  return { rows, total: await totalOf(slice, { rows, beyond: found.length - rows.length }, { count, maxTimeMS }) };
}

export const timedOut = 50; // MongoDB's MaxTimeMSExpired

/** How many rows there are: what the last pages tell themselves, else counted to the cap; at least those that are known when that takes too long. */
export async function totalOf(
  { skip }: Slice,
  { rows, beyond }: Found<unknown>,
  { count, maxTimeMS }: { count: (limits: CountLimits) => PromiseLike<number>; maxTimeMS: number },
): Promise<Total> {
  const known = skip + rows.length + beyond;
  if (beyond < lookAhead && (rows.length > 0 || skip === 0)) return { count: known, isMore: false };
  try {
    // To find nothing behind so many rows has cost as much as counting them: then there is time for it.
    const counted = await count({ limit: totalCap + 1, maxTimeMS: rows.length > 0 ? maxTimeMS : listTimeoutMs });
    return { count: counted, isMore: false };
  } catch (error) {
    if ((error as { code?: unknown }).code !== timedOut || rows.length === 0) throw error;
    return { count: known - 1, isMore: true };
  }
}

/** Which rows a page has. Nobody pages beyond the counted rows, so that no page is dear. */
export function sliceOf(asked: PageAsked): Slice {
  const size = pageSizeOf(asked);
  return { page: asked.p, size, skip: Math.min((asked.p - 1) * size, totalCap) };
}

/** Beyond the counted rows there is nothing: whoever asks page after page until one is empty comes to an end. */
export function pageOf<T>({ page, size, skip }: Slice, items: T[], { count, isMore }: Total): Page<T> {
  const shown = { items: skip < totalCap ? items : [], page, page_size: size, total: Math.min(count, totalCap) };
  return isMore || count > totalCap ? { ...shown, total_is_more: true } : shown;
}

/** A total that was counted to its end. */
export function exactly(count: number): Total {
  return { count, isMore: false };
}

/** A text of a visitor as a regular expression that matches what holds it, in either case. */
export function holds(text: string): RegExp {
  return new RegExp(escaped(text), 'i');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll('\0', '\\x00'); // a pattern on its way to the store ends at a zero
}
