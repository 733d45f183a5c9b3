import { AppError } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import type { Call } from '../pipeline/call.ts';
import { assertMayCall, type Caller } from './callers.ts';
import { clientAddress } from './client-address.ts';

/** Lets a caller in. Throws: AppError that says why he may not call. */
export function admit(relay: Relay, call: Call, caller: Caller): void {
  assertMayCall(caller, call.atMs);
  // Where nothing is said, nobody looks at the address.
  if (caller.addresses?.has(clientAddress(call.request, relay.trustedProxies)) === false) throw new AppError('ip_not_allowed');
}
