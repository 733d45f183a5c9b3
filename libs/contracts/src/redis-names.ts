import { z } from 'zod';

/** Redis names that two services share, with the shape of what they hold. Keys of a single service are defined in that service. */

/** Pub/sub channel: a relay publishes it when a provider calls back about a task; the console then polls the provider. Lost hints only delay. */
export const taskHintsChannel = 'task:hints';

/** `upstreamId`: the provider's id, which the row lacks where a relay died before it wrote it. */
export const taskHint = z.object({ taskId: z.string().min(1).max(64), upstreamId: z.string().max(128) });
export type TaskHint = z.infer<typeof taskHint>;

/** List, newest first: failures for which the console may disable a channel. It holds providers' own messages only, without secrets. */
export const channelFailuresKey = 'channel:failures';

/** `status`: HTTP status; `at`: milliseconds since 1970. */
export const channelFailure = z.object({
  channelId: z.int(),
  /** The one of the channel's keys that failed, where it has several. */
  keyId: z.int().optional(),
  kind: z.string(),
  status: z.int().optional(),
  code: z.union([z.string(), z.number()]).nullable(),
  type: z.string(),
  message: z.string(),
  at: z.number().optional(),
});
export type ChannelFailure = z.infer<typeof channelFailure>;

/** Hash, user id to remaining quota: billing writes it for each charged wallet, the console reads it to warn of low balances. */
export const chargedBalancesKey = '{charged}:balances';

/** A set of `<budget>|<payer>`: the budgets that billing charged since the console last looked. */
export const chargedBudgetsKey = '{charged}:budgets';
