import { z } from 'zod';

/** Why a channel was not tried for a call that failed. */
export const passedOverReasons = [
  'not_needed', // an earlier attempt ended the call, or no attempts were left
  'expired',
  'too_long', // the request exceeds the channel's prompt limit
  'dialect', // its provider does not offer what was asked for
  'failing', // its circuit breaker is open
  'limited', // its provider asked for a pause
  'at_limit', // a limit of the channel is reached
] as const;

export const mostAttempts = 12;
export const mostPassedOver = 20;
/** Characters of a provider's message that a record keeps. */
export const longestRecordedMessage = 1_000;

const count = z.int().nonnegative();
const message = z.string().max(longestRecordedMessage);

/** One attempt that failed. `message` is the provider's, without the channel's key: for administrators. */
export const failedAttempt = z.object({
  channelId: z.int(),
  channelName: z.string(),
  /** Which of the channel's keys was used, where it has several. */
  keyId: z.int().positive().optional(),
  priority: z.number(),
  weight: z.number(),
  /** The status that the provider answered with, or the gateway's for it (504 for a timeout). */
  status: z.int(),
  /** A kind of upstream error, or the code of one of our own. */
  kind: z.string().max(64),
  message,
  durationMs: count,
});
export type FailedAttempt = z.infer<typeof failedAttempt>;

export const passedOver = z.object({ channelId: z.int(), channelName: z.string(), reason: z.enum(passedOverReasons) });
export type PassedOver = z.infer<typeof passedOver>;

/** Whose failures count together: at most a few rows per minute are kept of each cause, the others are only counted. */
const cause = {
  /** 0: no known key. */
  userId: count,
  username: z.string(),
  /** 0: the playground, or no known key. */
  tokenId: count,
  tokenName: z.string(),
  /** The HTTP status sent to the caller; 499: the caller had left. */
  status: z.int(),
  /** A code of the error catalog, `upstream_<kind>`, or `client_gone`. */
  code: z.string().max(64),
  /** The channel tried last; 0: none. */
  channelId: count,
  channelName: z.string(),
};

/** One call that failed after it reached authentication. */
export const failedCall = z.object({
  ...cause,
  /** The request id. */
  id: z.string().min(1).max(64),
  /** When the call began, in ms since 1970. */
  at: count,
  group: z.string(),
  mode: z.string(),
  /** As far as the request was read; callers choose it. */
  model: z.string(),
  /** The API format of the caller. */
  dialect: z.string(),
  /** The family of the caller's user agent. */
  client: z.string(),
  isStream: z.boolean(),
  durationMs: count,
  /** What the caller was sent: for an own code the details of its message, else the message. */
  details: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  message: message.optional(),
  attempts: z.array(failedAttempt).max(mostAttempts),
  passedOver: z.array(passedOver).max(mostPassedOver),
});
export type FailedCall = z.infer<typeof failedCall>;

/** Failures of one cause within one minute of which no rows are kept. */
export const furtherFailures = z.object({
  ...cause,
  /** When the minute begins, in ms since 1970. */
  minute: count,
  count: z.int().positive(),
  /** The newest request id among them. */
  lastId: z.string().max(64),
});
export type FurtherFailures = z.infer<typeof furtherFailures>;

const countsByKind = z.record(z.string().regex(/^[a-z_]{1,64}$/), count);
const histogram = z.record(z.string().regex(/^\d{1,3}$/), count);

/** The attempts of one channel and model that ended within one minute. */
export const channelMinute = z.object({
  /** When the minute begins, in ms since 1970. */
  minute: count,
  channelId: count,
  /** The requested model. */
  model: z.string(),
  attempts: count,
  /** Failed attempts by kind. */
  failures: countsByKind,
  /** Failed attempts after which another channel was tried. */
  failovers: count,
  /** Histograms (`histogram.ts`): how long successful attempts took, and until their first content (streams). */
  durations: histogram,
  firstTokens: histogram,
  /** Of streams: output tokens, and how long they were generated after the first one. */
  outputTokens: count,
  generationMs: count,
});
export type ChannelMinute = z.infer<typeof channelMinute>;

export const callsRecordedVersion = 1;

/** What one relay process saw since its last such event. It may be published twice: `process` and `sequence` make it unique. */
export const callsRecorded = z.object({
  version: z.literal(callsRecordedVersion),
  process: z.string().regex(/^[0-9a-f]{16}$/),
  /** Counts up from 1 within the process. */
  sequence: z.int().positive(),
  failed: z.array(failedCall),
  further: z.array(furtherFailures),
  channels: z.array(channelMinute),
});
export type CallsRecorded = z.infer<typeof callsRecorded>;

/** The consumer group of `calls.recorded`, whose lag relays look at. */
export const callRecordsGroup = 'billing.call-records';
