import type { Redis } from 'ioredis';
import type { Caller } from './auth/caller.ts';

/** A user or a token, whose quota a caller is shown. */
export interface QuotaRow {
  kind: 'user' | 'token';
  id: number;
}

/**
 * What each session was lately shown of quotas, so that an absolute quota that comes back moves the money by its difference to that,
 * and never by what was spent or given in between.
 */
export interface ShownQuotas {
  note(caller: Caller, rows: (QuotaRow & { quota: number })[]): Promise<void>;
  /**
   * What the caller takes for the quota of a row, which `wanted` is to replace; from now on he takes that for it. `shown` says what
   * his form was made on, else it is what he was shown last. undefined: he was never shown any.
   */
  replace(caller: Caller, row: QuotaRow & { shown?: number | undefined }, wanted: number): Promise<number | undefined>;
}

const rememberedSeconds = 3600;

/**
 * KEYS[1] hash of one session and row: `last` (the quota shown last) and for each quota shown what the caller takes it for since
 * ARGV[1] quota shown, ARGV[2] seconds to remember it
 * returns 1
 */
const noteScript = `
if redis.call('HLEN', KEYS[1]) > 50 then redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'last', ARGV[1], ARGV[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1`;

/**
 * KEYS[1] the same hash
 * ARGV[1] quota that the form was made on ('' = the one shown last), ARGV[2] quota wanted, ARGV[3] seconds to remember it
 * returns what the caller took the quota for, or false when he was shown none
 */
const replaceScript = `
local shown = ARGV[1]
if shown == '' then shown = redis.call('HGET', KEYS[1], 'last') end
if not shown then return false end
local taken = redis.call('HGET', KEYS[1], shown) or shown
redis.call('HSET', KEYS[1], shown, ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return taken`;

export function shownQuotas(redis: Redis): ShownQuotas {
  const keyOf = ({ session, id: callerId }: Caller, { kind, id }: QuotaRow): string =>
    `shown:${session ?? `user:${callerId}`}:${kind}:${id}`;
  return {
    async note(caller, rows) {
      await Promise.all(rows.map((row) => redis.eval(noteScript, 1, keyOf(caller, row), row.quota, rememberedSeconds)));
    },
    async replace(caller, row, wanted) {
      const taken = await redis.eval(replaceScript, 1, keyOf(caller, row), row.shown ?? '', wanted, rememberedSeconds);
      return taken === null ? undefined : Number(taken);
    },
  };
}
