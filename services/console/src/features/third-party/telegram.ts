import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { TelegramQuery } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import type { Context } from '../../context.ts';
import type { Identity } from './provider.ts';

const provider = 'Telegram';
/** How old what Telegram has signed may be; clocks may differ by a minute. */
const freshSeconds = 300;
const clockSeconds = 60;

/**
 * Who Telegram says this is: the fields, signed with the digest of the bot's token, fresh, and shown to us for the first time.
 * Throws `sign_in_data_invalid`.
 * Source: https://core.telegram.org/widgets/login#checking-authorization
 */
export async function telegramIdentity({ options, redis, wallet }: Context, fields: TelegramQuery): Promise<Identity> {
  const { TelegramOAuthEnabled, TelegramBotToken } = options.values;
  if (!TelegramOAuthEnabled || TelegramBotToken === '') throw new AppError('provider_disabled', { provider });
  const { hash, lang, state: _ours, ...signed } = fields;
  const isGenuine =
    isSignedBy(TelegramBotToken, signed, hash) || (lang !== undefined && isSignedBy(TelegramBotToken, { ...signed, lang }, hash));
  const age = (await wallet.now()) / 1000 - Number(fields.auth_date);
  if (!isGenuine || age > freshSeconds || age < -clockSeconds) throw new AppError('sign_in_data_invalid', { provider });
  const isNew = await redis.set(`oauth:telegram:${hash.toLowerCase()}`, '1', 'EX', freshSeconds + 2 * clockSeconds, 'NX');
  if (isNew !== 'OK') throw new AppError('sign_in_data_invalid', { provider });
  const name = [fields.first_name, fields.last_name].filter(Boolean).join(' ');
  return { provider: 'telegram', id: fields.id, name };
}

function isSignedBy(botToken: string, fields: Record<string, string | undefined>, hash: string): boolean {
  const text = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join('\n');
  const key = createHash('sha256').update(botToken).digest();
  const expected = createHmac('sha256', key).update(text).digest();
  const given = Buffer.from(hash, 'hex');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
