import type { Caller } from '../auth/callers.ts';
import type { Relay } from '../context/relay.ts';
import type { Call, Hold } from '../pipeline/call.ts';
import { holdOf, release, reserveInTurn } from './hold.ts';
import { ownLimits } from './limits.ts';

/** Counts a call that costs nothing as a request of its user and token, by a hold of nothing; where they have no limits nothing is done. */
export async function holdNothing(relay: Relay, call: Call, caller: Caller): Promise<void> {
  call.hold = await heldForLimits(relay, call, caller);
}

/**
 * Refuses a caller who is beyond a limit, without counting this call: clients that poll a task would use up their requests by it.
 * Throws: AppError `rate_limit_exceeded`.
 */
export async function assertWithinLimits(relay: Relay, call: Call, caller: Caller): Promise<void> {
  const hold = await heldForLimits(relay, call, caller);
  if (hold !== undefined) release(relay, hold, { how: 'passed' });
}

async function heldForLimits(relay: Relay, call: Call, caller: Caller): Promise<Hold | undefined> {
  const limits = ownLimits(relay, caller, 0);
  if (limits === undefined) return undefined;
  const hold = holdOf(relay, call, { caller, amount: 0, likelyTokens: 0 });
  const reserved = await reserveInTurn(relay, call, { ...hold, limits });
  if ('leases' in reserved) hold.leases = reserved.leases;
  return hold;
}
