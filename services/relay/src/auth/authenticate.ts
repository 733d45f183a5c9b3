import { AppError, playgroundHeader } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import type { Call } from '../pipeline/call.ts';
import type { Entrance } from './auth-context.ts';
import { callerKey } from './caller-key.ts';

/** In by an API key. */
export function enterByKey(relay: Relay, call: Call): Entrance | Promise<Entrance> {
  const { key, channelId } = callerKey(call.dialect.credential(call.request, call.query));
  const caller = relay.callers.byKey(key);
  return caller instanceof Promise
    ? caller.then((found) => ({ caller: found, channelId, isPlayground: false }))
    : { caller, channelId, isPlayground: false };
}

/** In by a pass that the console signed for the user of a session; without a proxy before both, we ask for it. */
export async function enterPlayground(relay: Relay, call: Call): Promise<Entrance> {
  const pass = relay.front === undefined ? call.request.headers[playgroundHeader] : await relay.front.askPass(call.request);
  const userId = typeof pass === 'string' ? relay.playground.verify(pass, await relay.wallet.now()) : undefined;
  if (userId === undefined) throw new AppError('not_logged_in');
  return { caller: await relay.callers.byUser(userId), channelId: undefined, isPlayground: true };
}
