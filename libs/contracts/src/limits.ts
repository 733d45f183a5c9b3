import { z } from 'zod';
import { type LimitName, limitNames } from './limit-names.ts';

export type CallLimits = Record<LimitName, number>;

const limit = z.int().min(0).max(1e12);

/** The fields of a token or a channel that limit it; tokens are prompt and answer together. */
export const limitFields = {
  requests_per_minute: limit,
  requests_per_day: limit,
  tokens_per_minute: limit,
  tokens_per_day: limit,
  /** Calls at once. */
  concurrent: limit,
};

/** The same where each may be left out, for what is made new and for options. */
export const limitDefaults = {
  requests_per_minute: limit.default(0),
  requests_per_day: limit.default(0),
  tokens_per_minute: limit.default(0),
  tokens_per_day: limit.default(0),
  concurrent: limit.default(0),
};

/** How much a user, a group or a model may do. */
export const callLimits = z.strictObject(limitDefaults);
/** The limits of each name; a name may end in `*`. */
export const limitsByName = z.record(z.string(), callLimits);

export const noLimits: CallLimits = {
  requests_per_minute: 0,
  requests_per_day: 0,
  tokens_per_minute: 0,
  tokens_per_day: 0,
  concurrent: 0,
};

/** How the limits of a token or a channel are stored. */
const storedNames = {
  requests_per_minute: 'requestsPerMinute',
  requests_per_day: 'requestsPerDay',
  tokens_per_minute: 'tokensPerMinute',
  tokens_per_day: 'tokensPerDay',
  concurrent: 'mostAtOnce',
} as const satisfies Record<LimitName, string>;
export type StoredLimits = Record<(typeof storedNames)[LimitName], number>;

/** The stored fields of the limits that are named. */
export function storedLimits(limits: { [Name in LimitName]?: number | undefined }): Partial<StoredLimits> {
  const named = limitNames.filter((name) => limits[name] !== undefined);
  return Object.fromEntries(named.map((name) => [storedNames[name], limits[name]]));
}

/** The limits of a stored row; one that was written before there were any has none. */
export function limitsOf(row: { [Name in keyof StoredLimits]?: number | null | undefined }): CallLimits {
  return {
    requests_per_minute: row.requestsPerMinute ?? 0,
    requests_per_day: row.requestsPerDay ?? 0,
    tokens_per_minute: row.tokensPerMinute ?? 0,
    tokens_per_day: row.tokensPerDay ?? 0,
    concurrent: row.mostAtOnce ?? 0,
  };
}
