import type { IncomingMessage } from 'node:http';
import { type AddressList, AppError, hopAddress } from '@tollgate/runtime';
import type { Call } from '../context/call.ts';
import type { Callers } from './callers.ts';

/** What callers authenticate with: the key, and the channel that an administrator may name behind it. */
export interface CallerKey {
  key: string;
  channelId: number | undefined;
}

const longestText = 512;

/**
 * Reads `sk-<key>-<channel id>`; `sk-` and the channel may be missing. A dash before anything but a channel is in keys of providers only.
 * Throws: AppError `missing_api_key`, `invalid_api_key`, `foreign_api_key`.
 */
export function callerKey(credential: string): CallerKey {
  if (credential.length > longestText) throw new AppError('invalid_api_key');
  const text = withoutPrefix(credential);
  if (text === '') throw new AppError('missing_api_key');
  const dash = text.indexOf('-');
  if (dash < 0) return { key: text, channelId: undefined };
  const channel = text.slice(dash + 1);
  if (dash === 0 || !/^[1-9]\d{0,14}$/.test(channel)) throw new AppError('foreign_api_key');
  return { key: text.slice(0, dash), channelId: Number(channel) };
}

/** Whether a credential could be a key with a dash in it, which callers of another gateway kept. */
export function holdsDash(credential: string): boolean {
  const text = withoutPrefix(credential);
  return text.length <= longestText && text.indexOf('-') > 0;
}

/** A credential as one key, dashes and all. */
export function wholeKey(credential: string): CallerKey {
  return { key: withoutPrefix(credential), channelId: undefined };
}

function withoutPrefix(credential: string): string {
  const text = credential.trim();
  return text.startsWith('sk-') ? text.slice('sk-'.length) : text;
}

/** Whether a key could be one that the console makes: 48 letters and digits. */
export function hasOwnForm(key: string): boolean {
  return /^[0-9A-Za-z]{48}$/.test(key);
}

/**
 * Where a call comes from: the socket's peer, or, when that is a trusted proxy, the last address in `X-Forwarded-For` that
 * is none. What stands further left is the caller's own word and not believed.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: AddressList): string {
  const peer = request.socket.remoteAddress ?? '';
  if (!trustedProxies.has(peer)) return peer;
  const forwarded = request.headers['x-forwarded-for'];
  if (forwarded === undefined) return peer;
  const hops = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded).split(',');
  for (let at = hops.length - 1; at >= 0; at -= 1) {
    const hop = hopAddress(hops[at] ?? '');
    if (hop === undefined) return peer;
    if (at === 0 || !trustedProxies.has(hop)) return hop;
  }
  return peer;
}

/** Whose call it is, as far as can be told without asking: the owner of its key, who has one line for all his keys; else where it comes from. */
export function fairnessKey(
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
