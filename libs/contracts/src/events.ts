import { z } from 'zod';
import { budgetUse, mostBudgets } from './budgets.ts';
import { failedAttempt, mostAttempts, mostPassedOver, passedOver } from './call-records.ts';
import { relayModes } from './constants.ts';
import { furtherClasses, tokenClasses, usage } from './usage.ts';

/** The price a call was charged at. It travels with the event and stands in the log row, so that any bill can be recomputed. */
export const priceUsed = z.strictObject({
  kind: z.enum(['ratio', 'fixed']),
  modelRatio: z.number().nonnegative(),
  completionRatio: z.number().nonnegative(),
  cacheRatio: z.number().nonnegative(),
  cacheWrite5mRatio: z.number().nonnegative(),
  cacheWrite1hRatio: z.number().nonnegative(),
  audioRatio: z.number().nonnegative(),
  audioCompletionRatio: z.number().nonnegative(),
  /** US dollars a call, when `kind` is `fixed`. */
  modelPrice: z.number().nonnegative(),
  groupRatio: z.number().nonnegative(),
  quotaPerUnit: z.number().positive(),
});
export type PriceUsed = z.infer<typeof priceUsed>;

/** One thing on a bill: so much of it, at so many US dollars each before the ratio of the group. */
export const billItem = z.strictObject({
  kind: z.enum([...tokenClasses, ...furtherClasses]),
  amount: z.int().nonnegative(),
  price: z.number().nonnegative(),
});
export type BillItem = z.infer<typeof billItem>;

/** Why a call ended. */
export const endReasons = [
  'complete', // the provider finished and the caller has it all
  'client_gone', // the caller left
  'upstream_died', // the provider broke off after content had been delivered
  'timeout', // the provider fell silent after content had been delivered
  'balance', // the balance could not carry the rest of the stream
  'shutdown', // the relay had to stop
  'relay_lost', // the relay died; charged by the sweep
] as const;

/** Whose count the charge rests on: the provider's, our count of a whole answer, or an estimate. */
export const usageSources = ['upstream', 'counted', 'estimated'] as const;

export const usageRecordedVersion = 1;

/** One answered call and what it costs. The relay writes it into the hold; billing charges it exactly once by `id`. */
/** Of a request: how many changes are listed, and how long one is, in characters. */
export const mostChanges = 20;
export const longestChange = 120;

export const usageRecorded = z.object({
  version: z.literal(usageRecordedVersion),
  /** The request id. */
  id: z.string().min(1).max(64),
  /** When the call began, in ms since 1970. */
  at: z.int().nonnegative(),
  userId: z.int().positive(),
  username: z.string(),
  /** 0: the playground, which has no token. */
  tokenId: z.int().nonnegative(),
  tokenName: z.string(),
  group: z.string(),
  mode: z.enum(relayModes),
  model: z.string(),
  upstreamModel: z.string(),
  channelId: z.int().nonnegative(),
  channelName: z.string(),
  /** Which of the channel's keys was used, where it has several. */
  keyId: z.int().positive().optional(),
  /** Every channel that was tried, in order; the last one answered. */
  triedChannels: z.array(z.int()),
  isStream: z.boolean(),
  durationMs: z.int().nonnegative(),
  /** Until the first content byte went to the caller; -1 when the answer was no stream. */
  firstTokenMs: z.int(),
  usage,
  usageSource: z.enum(usageSources),
  endReason: z.enum(endReasons),
  /** Why, where the release before has no word for it: `endReason` is then `complete`. `sensitive`: a sensitive word came, and the answer was stopped. */
  endedFor: z.enum(['sensitive']).optional(),
  price: priceUsed,
  /** The price of the call, rounded once. */
  quota: z.int().nonnegative(),
  /** The part of `quota` that neither the hold nor the balance covered: the operator's loss. */
  uncollected: z.int().nonnegative(),
  reasoningEffort: z.string().optional(),
  /** What of the request was changed before it went to the provider, as the caller was told, too. */
  changes: z.array(z.string().max(longestChange)).min(1).max(mostChanges).optional(),
  /** How much of `usage.cachedInput` was sound. Where that is priced apart, it is the last item of this kind. */
  cachedAudio: z.int().nonnegative().optional(),
  /** Of an answer within a spoken session: the id of the session's call. */
  sessionId: z.string().max(64).optional(),
  /**
   * Of a call within a conversation that may be served by several channels or keys: whether the one that has its prompt in a cache
   * answered. `from`: the channel, or channel and key (`12/3`), that had answered before.
   */
  affinity: z.object({ how: z.enum(['new', 'kept', 'moved']), from: z.string().max(32).optional() }).optional(),
  /** Attempts that failed before the one that answered, and channels that were passed over meanwhile, with the reason. */
  attempts: z.array(failedAttempt).min(1).max(mostAttempts).optional(),
  passedOver: z.array(passedOver).min(1).max(mostPassedOver).optional(),
  /** The buckets of the payer's budgets that the call counts in. */
  budgets: z
    .array(budgetUse)
    .min(1)
    .max(5 * mostBudgets)
    .optional(),
  /**
   * Of a call that used more than tokens of the classes in `usage`: all that it used, piece by piece. `price` is then a fixed one, what
   * these come to, so that who does not know of items charges the same; `usage` tells of them what tokens they are shown as.
   */
  items: z
    .array(billItem)
    .min(1)
    .max(tokenClasses.length + furtherClasses.length)
    .optional(),
});
export type UsageRecorded = z.infer<typeof usageRecorded>;

export const taskFailedVersion = 1;

/**
 * A task has failed after it was charged: its charge is to be taken back. What it cost is not told here, billing reads it from the log:
 * whoever can write to the bus must not be able to make money.
 */
export const taskFailed = z.object({
  version: z.literal(taskFailedVersion),
  /** The task, which is the request id of the call that submitted it, and of its charge. */
  id: z.string().min(1).max(64),
  userId: z.int().positive(),
  /** When it was told, in ms since 1970: the refund is dated so. */
  at: z.int().nonnegative(),
});
export type TaskFailed = z.infer<typeof taskFailed>;
