import type { IncomingMessage } from 'node:http';
import { AppError } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import { saidLength } from '../request/decoded-body.ts';
import type { Caller } from './callers.ts';

/** Shorter bodies cost less than the question whether they can be paid for. */
const smallBody = 64 * 1024;

/**
 * Refuses a caller who has nothing left before a large body of his is read. Where he may call some model for nothing, the body
 * must say first which one it is for; there, and for small bodies, nothing has to be waited for. Throws: AppError `insufficient_user_quota`, `token_quota_depleted`.
 */
export function assertSomethingLeft(relay: Relay, caller: Caller, request: IncomingMessage): Promise<void> | undefined {
  const length = saidLength(request) ?? Number.POSITIVE_INFINITY;
  return length <= smallBody || mayCallForFree(relay, caller) ? undefined : assertBalance(relay, caller);
}

/** Throws: AppError `insufficient_user_quota`, `insufficient_token_quota`, `token_quota_depleted` when less than `needed` is left. */
export async function assertBalance(relay: Relay, caller: Caller, needed = 1): Promise<void> {
  const { userId, tokenId } = caller;
  const isLimited = tokenId !== 0 && !caller.unlimited;
  try {
    const [wallets, tokens] = await Promise.all([
      relay.wallet.remaining([userId]),
      isLimited ? relay.wallet.tokensRemaining([{ tokenId, userId }]) : undefined,
    ]);
    const available = wallets.get(userId) ?? 0;
    if (available < needed) throw shortOf('user', { available, needed });
    const left = tokens?.get(tokenId) ?? needed;
    if (left < needed) throw shortOf('token', { available: left, needed });
  } catch (error) {
    if (error instanceof AppError) throw error;
    relay.logger.warn({ err: error }, 'what a caller has left could not be asked'); // the hold will ask again
  }
}

/** Whether a channel of his group serves a model that costs nothing. A free name with a `*` may be any. */
function mayCallForFree({ settings, table }: Relay, caller: Caller): boolean {
  const group = caller.tokenGroup || caller.userGroup;
  if (settings.options.GroupRatio[group] === 0) return true;
  return settings.freeModels.some((model) => model.endsWith('*') || table.tiers(group, model).length > 0);
}

/** Why a call is refused for want of quota, in the user's wallet or in the token's. */
export function shortOf(reason: 'user' | 'token', { available, needed }: { available: number; needed: number }): AppError {
  if (reason === 'user') return new AppError('insufficient_user_quota', { available: Math.max(0, available), needed });
  return available <= 0 ? new AppError('token_quota_depleted') : new AppError('insufficient_token_quota', { available, needed });
}
