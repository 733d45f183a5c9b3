import { AppError, playgroundHeader } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import type { Call } from '../pipeline/call.ts';
import type { Entrance } from './auth-context.ts';
import { admit } from './authorize.ts';
import { callerKey, hasOwnForm } from './caller-key.ts';

/** Without Redis no quota can be held. Throws: AppError `service_unavailable`, before the caller waits for it. */
function assertRedisAnswers({ datastores: { away } }: Relay): void {
  if (away.size > 0 && away.has('Redis')) throw new AppError('service_unavailable', {}, { retryAfterSeconds: 2 });
}

/**
 * Authenticates a caller by API key and admits them. Every route of API callers goes through here, so that none is without a check.
 * Clients may send a placeholder beside the key, so each credential is tried. Throws: AppError.
 */
export function enterByKey(relay: Relay, call: Call): Entrance | Promise<Entrance> {
  assertRedisAnswers(relay);
  const offered = call.dialect.credentials(call.request, call.query);
  if (offered.length === 0) throw new AppError('missing_api_key');
  return enterByOne(relay, call, { offered, at: 0 });
}

interface Offered {
  offered: readonly string[];
  at: number;
}

function enterByOne(relay: Relay, call: Call, { offered, at }: Offered): Entrance | Promise<Entrance> {
  let key = '';
  const orNext = (error: unknown) => {
    if (!isUnknownKey(error)) throw error;
    if (at + 1 < offered.length) return enterByOne(relay, call, { offered, at: at + 1 });
    throw error.code === 'invalid_api_key' && !hasOwnForm(key) ? new AppError('foreign_api_key') : error;
  };
  try {
    const read = callerKey(offered[at] as string);
    const { channelId } = read;
    key = read.key;
    const caller = relay.callers.byKey(key);
    if (caller instanceof Promise)
      return caller.then((found) => admitted(relay, call, { caller: found, channelId, isPlayground: false }), orNext);
    return admitted(relay, call, { caller, channelId, isPlayground: false });
  } catch (error) {
    return orNext(error);
  }
}

function admitted(relay: Relay, call: Call, entrance: Entrance): Entrance {
  admit(relay, call, entrance.caller);
  return entrance;
}

function isUnknownKey(error: unknown): error is AppError {
  return error instanceof AppError && (error.shownCode === 'invalid_api_key' || error.code === 'missing_api_key');
}

/** Authenticates by a pass that the console signed for the user of a session; without a proxy before both, the relay asks for it. */
export async function enterPlayground(relay: Relay, call: Call): Promise<Entrance> {
  assertRedisAnswers(relay);
  const pass = relay.front === undefined ? call.request.headers[playgroundHeader] : await relay.front.askPass(call.request);
  const userId = typeof pass === 'string' ? relay.playground.verify(pass, await relay.wallet.now()) : undefined;
  if (userId === undefined) throw new AppError('not_logged_in');
  return admitted(relay, call, { caller: await relay.callers.byUser(userId), channelId: undefined, isPlayground: true });
}
