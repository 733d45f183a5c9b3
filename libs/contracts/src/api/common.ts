import { z } from 'zod';
import { isTimeZone } from '../calendar.ts';
import { mostInBulk } from '../constants.ts';

/** How every console answer is wrapped. `message` is for people; it is empty on success unless there is something to say. */
export interface Envelope<T> {
  success: boolean;
  message: string;
  data: T;
}

/** One page of a list; `page` is 1-based. */
export interface Page<T> {
  items: T[];
  page: number;
  page_size: number;
  total: number;
  /** There are more rows than `total`: counting them took too long, or went beyond `totalCap`. */
  total_is_more?: true | undefined;
}

/** The schema of a page of such rows. */
export function pageView<Row extends z.ZodType>(row: Row) {
  return z.object({
    items: z.array(row),
    page: z.number(),
    page_size: z.number(),
    total: z.number(),
    total_is_more: z.literal(true).optional().describe('There are more rows than `total` says: counting them took too long.'),
  });
}

/** Query of a page: `p` from 1 (0 answers the first page), `page_size` or `size` up to 100, 10 when it is missing or absurd. */
export const pageQuery = z.object({
  p: z.coerce
    .number()
    .int()
    .catch(1)
    .transform((page) => Math.max(1, page))
    .describe('Pages count from 1; 0 answers the first page, too. `page` in the answer says which page it is.'),
  page_size: z.coerce.number().int().optional().catch(undefined),
  size: z.coerce.number().int().optional().catch(undefined),
});

export const defaultPageSize = 10;
export const maxPageSize = 100;

/** Rows a page, out of a parsed page query. */
export function pageSizeOf(query: { page_size?: number | undefined; size?: number | undefined }): number {
  const asked = query.page_size ?? query.size ?? defaultPageSize;
  return asked < 1 ? defaultPageSize : Math.min(asked, maxPageSize);
}

/**
 * How often a row was changed, by whoever it was; views carry it. An edit that sends the `version` of the row it was made on is
 * refused as `conflict`, with the row as it stands now in `data`, where it would change a field that somebody else has changed since.
 * Money does not count. Without it, or with fields that nobody else touched, an edit is taken.
 */
export const rowVersion = z.int().min(0).optional();

const rowIds = z.array(z.int().positive()).min(1).max(mostInBulk);

/** Which rows a bulk edit is of: those that are named, or all that the filters of their list leave. */
export function rowsOf<Filters extends z.ZodType>(filters: Filters) {
  return { ids: rowIds.optional(), filter: filters.optional() };
}

/** One of both has to be said: nothing at all would be everything. */
export function isOneSelection({ ids, filter }: { ids?: unknown; filter?: unknown }): boolean {
  return (ids === undefined) !== (filter === undefined);
}
export const oneSelection = 'either ids or a filter says which rows are meant';

/** What a bulk edit came to: the rows that it is of, and those of them that are different now. */
export const bulkResult = z.object({ matched: z.number(), changed: z.number() });
export type BulkResult = z.infer<typeof bulkResult>;

/** The first of January 2100, in unix seconds. */
export const latestExpiry = 4_102_444_800;

/** A moment in unix seconds; -1 is never. */
export const expiryTime = z.int().min(-1).max(latestExpiry);

/** A number in a query; missing or not a number means 0, which filters nothing. One beyond all that there is stays beyond it, so that it finds nothing. */
export const queryNumber = queryNumberTo(1e11);

export function queryNumberTo(most: number) {
  return z.coerce
    .number()
    .catch(0)
    .default(0)
    .transform((number) => Math.min(Math.max(number, -1), most));
}
/** A number in a path that has other parts, too. */
export const pathNumber = z.preprocess((part) => (/^\d{1,15}$/.test(String(part)) ? Number(part) : part), z.int().min(0));

/** A flag in a query, as the product family writes it. */
export const queryFlag = z
  .enum(['true', 'false', '1', '0', ''])
  .catch('false')
  .default('false')
  .transform((text) => text === 'true' || text === '1');
export const queryText = z.string().trim().max(255).default('');

/** IANA name of a time zone; '' is UTC. */
export const queryZone = queryText.refine((name) => name === '' || isTimeZone(name), 'unknown time zone');

export const invisible = 'may hold no invisible control characters';

/** One line that people read, such as a name: no control characters, and none that turn the direction of what stands beside it. */
export const line = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$/u, invisible);

/** What may travel as the value of a header. */
export const headerText = z.string().regex(/^[\x20-\x7e]*$/, 'must be plain text on one line');

const longestName = 255;

/** A name list as the wire has it: comma separated. Blanks around names and empty names do not count, nor do repetitions. */
export const commaList = z
  .string()
  .max(100_000)
  .transform((text) =>
    [
      ...new Set(
        text
          .split(',')
          .map((name) => name.trim())
          .filter((name) => name !== ''),
      ),
    ].join(','),
  )
  .refine((names) => !/\p{Cc}/u.test(names), invisible)
  .refine((names) => names.split(',').every((name) => name.length <= longestName), `a name in it has more than ${longestName} characters`);

/** A JSON text of an object, or nothing; `error` says that it is not. */
export function jsonObject(error: string) {
  return z
    .string()
    .max(100_000)
    .refine((text) => text.trim() === '' || isJsonObject(text), { error, abort: true });
}

export const jsonObjectText = jsonObject('must be a JSON object');

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
