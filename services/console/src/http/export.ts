import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ExportFormat, isoTime } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { stringify } from 'csv-stringify';
import type { Response } from 'express';
import type { Caller } from '../auth/caller.ts';
import { inPages } from '../in-pages.ts';
import { csvColumns, type ExportReader, type ValueNames } from './export-columns.ts';

/** Rows that are made into views at once. With more of them, most outlive the collection of young garbage, and an export takes 200 MB more. */
const rowsAtOnce = 50;
/** Of one console; each costs it some of its time for as long as it lasts. */
const mostAtOnce = 4;
/** Of one caller, however slowly he reads: the others find room. */
const mostOfOne = 2;
const busySeconds = 10;

/** Whose they are that run. */
const open: number[] = [];

/** What a database cursor has to offer. */
interface Cursor<Doc> extends AsyncIterable<Doc> {
  close(): Promise<unknown>;
}

/** The views of all rows of a cursor, some at a time. Whoever stops asking has closed the cursor. */
export async function* viewsOf<Doc, View>(cursor: Cursor<Doc>, views: (rows: Doc[]) => View[] | Promise<View[]>): AsyncGenerator<View> {
  try {
    for await (const rows of inPages(cursor, rowsAtOnce)) yield* await views(rows);
  } finally {
    await cursor.close();
  }
}

export interface ExportOf<View> {
  /** The begin of the file's name; the day follows. */
  name: string;
  format: ExportFormat;
  columns: readonly (keyof View & string)[];
  rows: AsyncGenerator<View>;
  reader: ExportReader;
  valueNames?: ValueNames;
}

/**
 * Writes rows to a caller as fast as he takes them, and none ahead. What fails before the first one is answered as any error; later the
 * answer breaks off, so that nobody takes a part for the whole. A caller who leaves ends the reading.
 */
export async function sendExport<View extends object>(
  res: Response,
  { name, format, columns, rows, reader, valueNames }: ExportOf<View>,
): Promise<void> {
  const { id: caller } = res.locals.caller as Caller;
  const isTooMany = open.length >= mostAtOnce || open.filter((each) => each === caller).length >= mostOfOne;
  if (isTooMany) throw new AppError('too_many_requests', {}, { retryAfterSeconds: busySeconds });
  open.push(caller);
  try {
    const first = await rows.next();
    const all = chained(first, rows);
    res.attachment(`${name}-${isoTime(Date.now() / 1000, reader.zone).slice(0, 10)}.${format}`);
    res.type(format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8');
    if (format === 'csv') await pipeline(Readable.from(cellsOf(csvColumns(columns, reader, valueNames), all)), csvWriter(), res);
    else await pipeline(Readable.from(jsonOf(columns, all)), res);
  } catch (error) {
    if (!res.headersSent || !res.destroyed || !isGone(error)) throw error;
  } finally {
    open.splice(open.indexOf(caller), 1);
    await rows.return(undefined);
  }
}

async function* chained<View>(first: IteratorResult<View>, rest: AsyncGenerator<View>): AsyncGenerator<View> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** A text that a spreadsheet would run as a formula begins with an apostrophe (https://owasp.org/www-community/attacks/CSV_Injection). */
function csvWriter() {
  return stringify({
    bom: true,
    record_delimiter: 'windows',
    escape_formulas: true,
    cast: { boolean: String, object: (value) => JSON.stringify(value) },
  });
}

async function* cellsOf<View extends object>(
  columns: ReturnType<typeof csvColumns<View>>,
  rows: AsyncGenerator<View>,
): AsyncGenerator<unknown[]> {
  yield columns.map(({ heading }) => heading);
  for await (const row of rows) yield columns.map(({ value }) => value(row));
}

async function* jsonOf<View extends object>(columns: readonly (keyof View & string)[], rows: AsyncGenerator<View>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const row of rows) {
    yield before + JSON.stringify(Object.fromEntries(columns.map((column) => [column, row[column]])));
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
