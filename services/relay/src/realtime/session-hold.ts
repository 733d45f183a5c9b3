import { noUsage } from '@tollgate/contracts';
import { estimateQuota } from '@tollgate/pricing';
import { assertBalance } from '../auth/authenticate.ts';
import type { Call, CheckedCall } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { reserveBesideCalls, shortestAnswerTokens } from '../quota/hold.ts';
import { endLeases } from '../quota/limits.ts';
import { dearestPrice } from '../quota/priced-fields.ts';
import type { RoutedChannel } from '../routing/routed-channel.ts';

/** What the shortest answer of a session costs. */
function shortestAnswer({ checked }: CheckedCall): number {
  return estimateQuota({ used: noUsage, moreOutput: shortestAnswerTokens, isSpoken: true }, dearestPrice(checked, noUsage));
}

/** Throws: AppError `insufficient_user_quota`, `insufficient_token_quota` when the balance does not pay for the shortest answer. */
export async function assertCanPay(relay: Relay, call: CheckedCall): Promise<void> {
  const needed = shortestAnswer(call);
  if (needed > 0) await assertBalance(relay, call.checked.caller, needed);
}

/**
 * Counts a session as one call against every limit while it is open, by a hold of its own. It holds next to nothing, so that the
 * whole balance is left to the session's answers. Throws: AppError `rate_limit_exceeded`, `insufficient_user_quota`, and others.
 */
export async function holdSession(relay: Relay, call: CheckedCall, channel: RoutedChannel | undefined): Promise<void> {
  await assertCanPay(relay, call);
  await reserveBesideCalls(relay, call, { amount: Math.min(1, shortestAnswer(call)), channel });
}

/** Ends the session's hold. `isOpened`: it counts as a request that did not fail. */
export function releaseSession(relay: Relay, { hold }: Call, { isOpened }: { isOpened: boolean }): void {
  if (hold === undefined || hold.isOver) return;
  hold.isOver = true;
  if (hold.leases !== undefined) endLeases(relay, hold, hold.leases, isOpened ? { how: 'reported', tokens: 0 } : { how: 'failed' });
  relay.wallet
    .release(hold)
    .catch((error: unknown) => relay.logger.warn({ requestId: hold.requestId, err: error }, 'the hold of a session was left to the sweep'));
}
