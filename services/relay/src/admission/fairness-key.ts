import { type AddressList, AppError } from '@tollgate/runtime';
import { callerKey } from '../auth/caller-key.ts';
import type { Callers } from '../auth/callers.ts';
import { clientAddress } from '../auth/client-address.ts';
import type { Call } from '../pipeline/call.ts';

/** Whose call it is, as far as can be told without asking: the owner of its key, who has one line for all his keys; else where it comes from. */
export function lineOf(
  { request, dialect, query }: Call,
  { callers, trustedProxies }: { callers: Callers; trustedProxies: AddressList },
): number | string {
  for (const credential of dialect.credentials(request, query)) {
    const known = knownOwner(credential, callers);
    if (known !== undefined) return known;
  }
  return clientAddress(request, trustedProxies);
}

function knownOwner(credential: string, callers: Callers): number | undefined {
  try {
    return callers.knownByKey(callerKey(credential).key)?.userId;
  } catch (error) {
    if (error instanceof AppError) return undefined; // refused when its turn comes
    throw error;
  }
}
