import { AppError } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import type { Call } from '../pipeline/call.ts';
import { assertMayCall, type Caller } from './callers.ts';
import { clientAddress } from './client-address.ts';

/** Admits a caller whose token, user and address may call. Throws: AppError that says why they may not. */
export function admit(relay: Relay, call: Call, caller: Caller): void {
  assertMayCall(caller, call.atMs);
  // Most tokens have no list of addresses: then none is looked up.
  if (caller.addresses?.has(clientAddress(call.request, relay.trustedProxies)) === false) throw new AppError('ip_not_allowed');
}
