import { authenticate } from '../auth/authenticate.ts';
import type { Caller } from '../auth/callers.ts';
import type { Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { assertWithinLimits } from '../quota/hold.ts';

/**
 * The entrance of routes that only read: lists of models, what is left, the caller's own tasks. All checks of a call but its balance,
 * and a limit is checked without being counted. Throws: AppError.
 */
export async function authenticateToRead(relay: Relay, call: Call): Promise<Caller> {
  const { caller } = await authenticate(relay, call);
  await assertWithinLimits(relay, call, caller);
  return caller;
}
