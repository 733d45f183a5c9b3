import type { Call, Hold } from '../call/call.ts';
import type { Caller } from '../enter/callers.ts';
import type { Relay } from '../process/relay.ts';
import { reserveInTurn } from './hold.ts';
import { ownLimits } from './limits.ts';

/** Counts a call that costs nothing as a request of its user and token, by a hold of nothing; where they have no limits nothing is done. */
export async function holdNothing(relay: Relay, call: Call, caller: Caller): Promise<void> {
  const limits = ownLimits(relay, caller, 0);
  if (limits === undefined) return;
  const hold: Hold = {
    ...{ userId: caller.userId, tokenId: caller.tokenId, tokenUnlimited: caller.unlimited, requestId: call.id },
    ...{ amount: 0, deadlineMs: Date.now() + relay.limits.RELAY_HOLD_MS, isOver: false, likelyTokens: 0, leases: undefined },
  };
  const reserved = await reserveInTurn(relay, call, { ...hold, limits });
  if ('leases' in reserved) hold.leases = reserved.leases;
  call.hold = hold;
}
