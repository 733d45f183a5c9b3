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

/** Which rows a page has. Nobody pages beyond the counted rows, so that no page is dear. */
export function sliceOf(asked: PageAsked): Slice {
  const size = pageSizeOf(asked);
  return { page: asked.p, size, skip: Math.min((asked.p - 1) * size, totalCap) };
}

export function pageOf<T>({ page, size }: Slice, items: T[], total: number): Page<T> {
  return { items, page, page_size: size, total };
}

/** A text of a visitor as a regular expression that matches what holds it, in either case. */
export function holds(text: string): RegExp {
  return new RegExp(escaped(text), 'i');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
