import { longestChange, mostChanges } from '@tollgate/contracts';

/** The response header that lists what of a request was changed before it went to a provider. */
export const changesHeader = 'x-tollgate-changed';

/** What carries the list: the call, or its request before there is a call for it. */
export interface Changeable {
  /** Undefined while nothing was changed, as nearly always. */
  changes?: string[] | undefined;
}

/**
 * Notes that a field was removed, or set to another value, for the caller (`changesHeader`) and for the log row. Each change is listed once,
 * as `field: what`, in printable ASCII without commas. `field` is a path such as `tools[0]`, `what` a few words such as `removed (web_search)`.
 */
export function noteChange(target: Changeable, field: string, what: string): void {
  const change = `${field}: ${what}`.replace(/[^\x20-\x7e]|,/g, '?').slice(0, longestChange);
  target.changes ??= [];
  if (target.changes.length < mostChanges && !target.changes.includes(change)) target.changes.push(change);
}
