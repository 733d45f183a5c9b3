import { z } from 'zod';
import { parseExact } from './exact-json.ts';
import { UpstreamError } from './upstream-error.ts';

/** Reads a part of an answer. Throws: UpstreamError `unreadable` when a known thing has an unknown shape. */
export function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw unreadable(z.prettifyError(result.error).slice(0, 200));
}

/** An answer that is none; `what` it is instead, where that says anything. */
export function unreadable(what?: string): UpstreamError {
  const reason = what === undefined ? 'that cannot be read' : `of unknown shape: ${what}`;
  return new UpstreamError({
    kind: 'unreadable',
    status: 502,
    message: `The upstream provider sent an answer ${reason}`,
    code: 'upstream_bad_answer',
  });
}

/** One event's data as an object; undefined when it is none: such an event carries no news. `isExact`: its integers keep their digits. */
export function eventObject(data: string, { isExact = false } = {}): Record<string, unknown> | undefined {
  try {
    const value: unknown = isExact ? parseExact(data) : JSON.parse(data);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** One event's data as an object, as above. Throws: the error that the event states, as `errorIn` reads it. */
export function newsIn(
  data: string,
  errorIn: (body: Record<string, unknown>) => UpstreamError | undefined,
  options?: { isExact: boolean },
): Record<string, unknown> | undefined {
  const body = eventObject(data, options);
  const error = body && errorIn(body);
  if (error !== undefined) throw error;
  return body;
}
