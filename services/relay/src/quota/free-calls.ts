import type { Caller } from '../auth/callers.ts';
import type { Relay } from '../context/relay.ts';
import type { Call } from '../pipeline/call.ts';
import { holdOf, reserveInTurn } from './hold.ts';
import { ownLimits } from './limits.ts';

/** Counts a call that costs nothing as a request of its user and token, by a hold of nothing; where they have no limits nothing is done. */
export async function holdNothing(relay: Relay, call: Call, caller: Caller): Promise<void> {
  const limits = ownLimits(relay, caller, 0);
  if (limits === undefined) return;
  const hold = holdOf(relay, call, { caller, amount: 0, likelyTokens: 0 });
  const reserved = await reserveInTurn(relay, call, { ...hold, limits });
  if ('leases' in reserved) hold.leases = reserved.leases;
  call.hold = hold;
}
