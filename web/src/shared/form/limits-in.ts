import { type LimitName, limitNames } from '@tollgate/contracts/limit-names';
import type { CallLimits } from '@tollgate/contracts/limits';

export const limitLabels = {
  requests_per_minute: 'limits.requestsPerMinute',
  requests_per_day: 'limits.requestsPerDay',
  tokens_per_minute: 'limits.tokensPerMinute',
  tokens_per_day: 'limits.tokensPerDay',
  concurrent: 'limits.concurrent',
} as const satisfies Record<LimitName, string>;

/** The limits that an editor starts with: those of the row, or none. */
export function limitsIn(row: CallLimits | undefined): CallLimits {
  return Object.fromEntries(limitNames.map((name) => [name, row?.[name] ?? 0])) as CallLimits;
}
