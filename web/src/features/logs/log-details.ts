import type { LogDetails, LogView } from '@tollgate/contracts/api/log';

/** Several cells of a row want them. */
const read = new WeakMap<LogView, LogDetails>();

/** Older rows lack some of it. */
export function detailsOf(log: LogView): LogDetails {
  const details = read.get(log) ?? detailsIn(log);
  read.set(log, details);
  return details;
}

function detailsIn(log: LogView): LogDetails {
  try {
    return (JSON.parse(log.other || '{}') as LogDetails | null) ?? {};
  } catch {
    return {};
  }
}

/** How long the call took, in seconds; finer where the row says it in milliseconds. */
export function secondsOf(log: LogView, details: LogDetails): number {
  return details.duration_ms === undefined ? log.use_time : details.duration_ms / 1000;
}

/** Output tokens a second, from the first token on; undefined where that says nothing. */
export function tokensPerSecond(log: LogView, details: LogDetails): number | undefined {
  const writing = secondsOf(log, details) - Math.max(0, details.frt ?? 0) / 1000;
  return log.completion_tokens > 1 && writing > 0.05 ? log.completion_tokens / writing : undefined;
}
