import { AppError } from '@tollgate/runtime';

/** What a caller proves himself with: the key, and the channel that an administrator may name behind it. */
export interface CallerKey {
  key: string;
  channelId: number | undefined;
}

const longestText = 512;

/**
 * Reads `sk-<key>-<channel id>`; `sk-` and the channel may be missing. `credential` is what the caller gave, wherever he put it.
 * Throws: AppError `missing_api_key`, `invalid_api_key`, `invalid_channel_id`.
 */
export function callerKey(credential: string | undefined): CallerKey {
  if (credential === undefined) throw new AppError('missing_api_key');
  if (credential.length > longestText) throw new AppError('invalid_api_key');
  let text = credential.trim();
  if (text.startsWith('sk-')) text = text.slice('sk-'.length);
  if (text === '') throw new AppError('missing_api_key');
  const dash = text.indexOf('-');
  if (dash < 0) return { key: text, channelId: undefined };
  if (dash === 0) throw new AppError('invalid_api_key');
  const channel = text.slice(dash + 1);
  if (!/^[1-9]\d{0,14}$/.test(channel)) throw new AppError('invalid_channel_id');
  return { key: text.slice(0, dash), channelId: Number(channel) };
}
