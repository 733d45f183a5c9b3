import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { within } from './limits.ts';

export const codeLifeMinutes = 10;
const wrongAttempts = 5;
const mailsPerAddress = 5;

/** What a code is good for: opening an account, binding an address to the account that asked, or a new password. */
export type CodePurpose = 'register' | 'reset' | { bindTo: number };

/** Codes that are mailed to an address and prove that somebody reads what arrives there. */
export interface MailCodes {
  /** Makes a code in place of an older one: six digits to type, or for a link one that nobody guesses. Throws `too_many_requests`. */
  issue(purpose: CodePurpose, address: string): Promise<string>;
  /** Whether this is the code; a right one is used up by it, and the fifth wrong one ends what can be typed. */
  take(purpose: CodePurpose, address: string, code: string): Promise<boolean>;
}

/**
 * KEYS[1] the code's record; ARGV[1] the digest of what was typed; ARGV[2] how many wrong ones end it, 0 never.
 * Returns 1 when it was the code (and is gone), else 0.
 */
const takeScript = `
local digest = redis.call('HGET', KEYS[1], 'digest')
if not digest then return 0 end
if digest == ARGV[1] then
  redis.call('DEL', KEYS[1])
  return 1
end
local most = tonumber(ARGV[2])
if most > 0 and redis.call('HINCRBY', KEYS[1], 'wrong', 1) >= most then redis.call('DEL', KEYS[1]) end
return 0`;

/** Redis holds `code:<purpose>:<digest of the address>`, with a digest of the code, for ten minutes; a purpose may be `bind-<account>`. */
export function mailCodes(redis: Redis): MailCodes {
  const perAddress = new RateLimiterRedis({ storeClient: redis, keyPrefix: 'limit:mail', points: mailsPerAddress, duration: 600 });
  const nameOf = (purpose: CodePurpose): string => (typeof purpose === 'string' ? purpose : `bind-${purpose.bindTo}`);
  const keyOf = (purpose: CodePurpose, address: string): string => `code:${nameOf(purpose)}:${digestOf(address).slice(0, 32)}`;
  return {
    async issue(purpose, address) {
      await within(perAddress.consume(`${purpose === 'reset' ? 'reset' : 'verify'}:${digestOf(address).slice(0, 32)}`));
      const code = purpose === 'reset' ? randomBytes(16).toString('hex') : String(randomInt(1_000_000)).padStart(6, '0');
      const key = keyOf(purpose, address);
      const stored = await redis
        .multi()
        .del(key)
        .hset(key, 'digest', digestOf(code))
        .expire(key, codeLifeMinutes * 60)
        .exec();
      for (const [error] of stored ?? []) if (error) throw error;
      return code;
    },
    async take(purpose, address, code) {
      const most = purpose === 'reset' ? 0 : wrongAttempts;
      return (await redis.eval(takeScript, 1, keyOf(purpose, address), digestOf(code), most)) === 1;
    },
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
