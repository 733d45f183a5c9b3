import type { IncomingMessage } from 'node:http';
import { AppError, encodingOf, playgroundHeader } from '@tollgate/runtime';
import type { Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { callerKey, clientAddress, hasOwnForm, holdsDash, wholeKey } from './caller-key.ts';
import { type AuthContext, assertMayCall, type Caller } from './callers.ts';

/** Without Redis no quota can be held. Throws: AppError `service_unavailable`, before the caller waits for it. */
function assertRedisAnswers({ datastores: { away } }: Relay): void {
  if (away.size > 0 && away.has('Redis')) throw new AppError('service_unavailable', {}, { retryAfterSeconds: 2 });
}

/**
 * Authenticates a caller by API key and admits them. Every route of API callers goes through here, so that none is without a check.
 * Clients may send a placeholder beside the key, so each credential is tried. Throws: AppError.
 */
export function authenticate(relay: Relay, call: Call): AuthContext | Promise<AuthContext> {
  assertRedisAnswers(relay);
  const offered = call.dialect.credentials(call.request, call.query);
  if (offered.length === 0) throw new AppError('missing_api_key');
  return enterByOne(relay, call, { offered, at: 0 });
}

interface Offered {
  offered: readonly string[];
  at: number;
  /** The credential is tried as one key although it holds a dash, as keys of LiteLLM do. */
  isWhole?: boolean;
}

function enterByOne(relay: Relay, call: Call, { offered, at, isWhole = false }: Offered): AuthContext | Promise<AuthContext> {
  let key = '';
  const orNext = (error: unknown) => {
    if (!isUnknownKey(error)) throw error;
    if (!isWhole && holdsDash(offered[at] as string)) return enterByOne(relay, call, { offered, at, isWhole: true });
    if (at + 1 < offered.length) return enterByOne(relay, call, { offered, at: at + 1 });
    throw error.shownCode === 'invalid_api_key' && !hasOwnForm(key.split('-', 1)[0] ?? '') ? new AppError('foreign_api_key') : error;
  };
  try {
    const read = isWhole ? wholeKey(offered[at] as string) : callerKey(offered[at] as string);
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

function admitted(relay: Relay, call: Call, entrance: AuthContext): AuthContext {
  admit(relay, call, entrance.caller);
  return entrance;
}

function isUnknownKey(error: unknown): error is AppError {
  return error instanceof AppError && (error.shownCode === 'invalid_api_key' || error.code === 'missing_api_key');
}

/** Authenticates by a pass that the console signed for the user of a session; without a proxy before both, the relay asks for it. */
export async function authenticatePlayground(relay: Relay, call: Call): Promise<AuthContext> {
  assertRedisAnswers(relay);
  const pass = relay.front === undefined ? call.request.headers[playgroundHeader] : await relay.front.askPass(call.request);
  const userId = typeof pass === 'string' ? relay.playground.verify(pass, await relay.wallet.now()) : undefined;
  if (userId === undefined) throw new AppError('not_logged_in');
  return admitted(relay, call, { caller: await relay.callers.byUser(userId), channelId: undefined, isPlayground: true });
}

/** Admits a caller whose token, user and address may call. Throws: AppError that says why they may not. */
export function admit(relay: Relay, call: Call, caller: Caller): void {
  call.caller = caller;
  assertMayCall(caller, call.atMs);
  // Most tokens have no list of addresses: then none is looked up.
  if (caller.addresses?.has(clientAddress(call.request, relay.trustedProxies)) === false) throw new AppError('ip_not_allowed');
}

/** Shorter bodies cost less than the question whether they can be paid for. */
const smallBody = 64 * 1024;

/**
 * Refuses a caller who has nothing left before a large body of his is read. Where he may call some model for nothing, the body
 * must say first which one it is for; there, and for small bodies, nothing has to be waited for. Throws: AppError `insufficient_user_quota`, `token_quota_depleted`.
 */
export function assertHasBalance(relay: Relay, caller: Caller, request: IncomingMessage): Promise<void> | undefined {
  const length = statedLength(request) ?? Number.POSITIVE_INFINITY;
  return length <= smallBody || mayCallForFree(relay, caller) ? undefined : assertBalance(relay, caller);
}

/** Throws: AppError `insufficient_user_quota`, `insufficient_token_quota`, `token_quota_depleted` when less than `needed` is left. */
export async function assertBalance(relay: Relay, caller: Caller, needed = 1): Promise<void> {
  try {
    const { user, token = needed } = await remainingOf(relay, caller);
    if (user < needed) throw shortOf('user', { available: user, needed });
    if (token < needed) throw shortOf('token', { available: token, needed });
  } catch (error) {
    if (error instanceof AppError) throw error;
    relay.logger.warn({ err: error }, 'what a caller has left could not be asked'); // the hold will ask again
  }
}

/** The quota that a caller's wallet and limited token have left; no `token` where none limits. */
export async function remainingOf(
  { wallet }: Relay,
  { userId, tokenId, unlimited }: Caller,
): Promise<{ user: number; token: number | undefined }> {
  const isLimited = tokenId !== 0 && !unlimited;
  const [wallets, tokens] = await Promise.all([
    wallet.remaining([userId]),
    isLimited ? wallet.tokensRemaining([{ tokenId, userId }]) : undefined,
  ]);
  return { user: wallets.get(userId) ?? 0, token: tokens?.get(tokenId) };
}

/** Whether a channel of his group serves a model that costs nothing. A free name with a `*` may be any. */
function mayCallForFree({ settings, table }: Relay, caller: Caller): boolean {
  const group = caller.tokenGroup || caller.userGroup;
  if (settings.options.GroupRatio[group] === 0) return true;
  return settings.freeModels.some((model) => model.endsWith('*') || table.tiers(group, model).length > 0);
}

/** Why a call is refused for want of quota, in the user's wallet or in the token's. */
export function shortOf(reason: 'user' | 'token', { available, needed }: { available: number; needed: number }): AppError {
  if (reason === 'user') return new AppError('insufficient_user_quota', { available: Math.max(0, available), needed });
  return available <= 0 ? new AppError('token_quota_depleted') : new AppError('insufficient_token_quota', { available, needed });
}

/** The length of a body without content encoding, when its header states one. */
function statedLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined || encodingOf(headers) !== 'identity' ? undefined : Number(length);
}
