import { AppError } from '@tollgate/runtime';
import type { Call } from '../call/call.ts';
import type { Relay } from '../process/relay.ts';
import { assertMayCall, type Caller } from './callers.ts';
import { clientAddress } from './client-address.ts';

/**
 * Lets a caller in; where calls are counted, whose windows this one was counted into comes back, else nothing has to be waited
 * for. Throws: AppError that says why he may not call.
 */
export function admit(relay: Relay, call: Call, caller: Caller): Promise<number> | undefined {
  const { options } = relay.settings;
  assertMayCall(caller, call.atMs);
  const { allowedAddresses, deniedAddresses } = caller;
  if (allowedAddresses !== undefined || deniedAddresses !== undefined) {
    const address = clientAddress(call.request, relay.trustedProxies);
    if (allowedAddresses?.has(address) === false || deniedAddresses?.has(address)) throw new AppError('ip_not_allowed');
  }
  if (!options.ModelRequestRateLimitEnabled) return undefined;
  return relay.requestLimit.admit({ userId: caller.userId, requestId: call.id }, options).then(() => caller.userId);
}
