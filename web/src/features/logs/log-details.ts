import type { LogView } from '@tollgate/contracts/api/log';

/** What stands in a row's `other`, as far as this page reads it. Older rows lack some of it. */
export interface LogDetails {
  /** Milliseconds until the first token; -1 when the answer was no stream. */
  frt?: number;
  duration_ms?: number;
  model_ratio?: number;
  completion_ratio?: number;
  group_ratio?: number;
  /** US dollars a call; -1 when the call was priced by its tokens. */
  model_price?: number;
  cache_tokens?: number;
  cache_ratio?: number;
  cache_creation_tokens?: number;
  cache_creation_ratio?: number;
  /** Quota a US dollar when the call was charged. */
  quota_per_unit?: number;
  reasoning_tokens?: number;
  audio_input?: number;
  audio_output?: number;
  audio_ratio?: number;
  audio_completion_ratio?: number;
  end_reason?: string;
  usage_source?: string;
  reasoning_effort?: string;
  is_model_mapped?: boolean;
  upstream_model_name?: string;
  admin_info?: { use_channel?: (string | number)[] };
}

export function detailsOf(log: LogView): LogDetails {
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
