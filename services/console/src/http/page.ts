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

interface Found<Row> {
  rows: Row[];
  /** Whether others follow. */
  more: boolean;
}

/** A page of rows, found with one more than it shows, and how many there are. */
export async function rowsAndTotal<Row>(
  slice: Slice,
  find: (limit: number) => PromiseLike<Row[]>,
  count: (limits: CountLimits) => PromiseLike<number>,
  maxTimeMS = listTimeoutMs,
): Promise<{ rows: Row[]; total: number }> {
  const found = await find(slice.size + 1);
  const rows = found.slice(0, slice.size);
  return { rows, total: await totalOf(slice, { rows, more: found.length > slice.size }, (limit) => count({ limit, maxTimeMS })) };
}

export const timedOut = 50; // MongoDB's MaxTimeMSExpired

/** How many rows there are, at most the cap: what the last page tells itself, else counted; as many as are known when that takes too long, so that the next page can be asked for. */
export async function totalOf(
  { skip }: Slice,
  { rows, more }: Found<unknown>,
  count: (limit: number) => PromiseLike<number>,
): Promise<number> {
  const known = skip + rows.length + (more ? 1 : 0);
  if (!more && (rows.length > 0 || skip === 0)) return known;
  try {
    return await count(totalCap);
  } catch (error) {
    if ((error as { code?: unknown }).code !== timedOut) throw error;
    return Math.min(known, totalCap);
  }
}

/** Which rows a page has. Nobody pages beyond the counted rows, so that no page is dear. */
export function sliceOf(asked: PageAsked): Slice {
  const size = pageSizeOf(asked);
  return { page: asked.p, size, skip: Math.min((asked.p - 1) * size, totalCap) };
}

/** Beyond the counted rows there is nothing: whoever asks page after page until one is empty comes to an end. */
export function pageOf<T>({ page, size, skip }: Slice, items: T[], total: number): Page<T> {
  return { items: skip < totalCap ? items : [], page, page_size: size, total: Math.min(total, totalCap) };
}

/** A text of a visitor as a regular expression that matches what holds it, in either case. */
export function holds(text: string): RegExp {
  return new RegExp(escaped(text), 'i');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&').replaceAll('\0', '\\x00'); // a pattern on its way to the store ends at a zero
}
