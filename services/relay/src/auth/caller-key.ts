import { AppError } from '@tollgate/runtime';

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
  let text = credential.trim();
  if (text.startsWith('sk-')) text = text.slice('sk-'.length);
  if (text === '') throw new AppError('missing_api_key');
  const dash = text.indexOf('-');
  if (dash < 0) return { key: text, channelId: undefined };
  const channel = text.slice(dash + 1);
  if (dash === 0 || !/^[1-9]\d{0,14}$/.test(channel)) throw new AppError('foreign_api_key');
  return { key: text.slice(0, dash), channelId: Number(channel) };
}

/** Whether a key could be one that the console makes: 48 letters and digits. */
export function hasOwnForm(key: string): boolean {
  return /^[0-9A-Za-z]{48}$/.test(key);
}
