import type { OptionValues } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import type { Redis } from 'ioredis';

/**
 * Counts a call into a user's windows, or refuses it.
 *
 * KEYS 1: zset of all calls; 2: zset of calls that have not failed. Members are request ids, scores ms since 1970.
 * ARGV 1: window, ms; 2: limit of all calls (0: none); 3: limit of calls that have not failed; 4: request id.
 * Returns 0: counted; n > 0: all calls are used up, the next is free in n ms; n < 0: the others are, for -n ms.
 */
const countScript = `
local window, time = tonumber(ARGV[1]), redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for index = 1, 2 do
  local limit = tonumber(ARGV[1 + index])
  if limit > 0 then
    redis.call('ZREMRANGEBYSCORE', KEYS[index], '-inf', now - window)
    if redis.call('ZCARD', KEYS[index]) >= limit then
      local oldest = redis.call('ZRANGE', KEYS[index], 0, 0, 'WITHSCORES')
      local wait = math.max(1, tonumber(oldest[2]) + window - now)
      return index == 1 and wait or -wait
    end
  end
end
for index = 1, 2 do
  if tonumber(ARGV[1 + index]) > 0 then
    redis.call('ZADD', KEYS[index], now, ARGV[4])
    redis.call('PEXPIRE', KEYS[index], window)
  end
end
return 0
`;

interface CountingRedis extends Redis {
  countRequest(...args: (string | number)[]): Promise<number>;
}

export interface RequestLimit {
  /** Counts the call. Throws: AppError `rate_limit_exceeded`. */
  admit(call: { userId: number; requestId: string }, options: OptionValues): Promise<void>;
  /** The call failed: it does not count as one that succeeded. */
  failed(call: { userId: number; requestId: string }): void;
}

/** The limit of requests per user and period. The options are those of this very call. */
export function requestLimit(redis: Redis): RequestLimit {
  redis.defineCommand('countRequest', { numberOfKeys: 2, lua: countScript });
  const counting = redis as CountingRedis;
  return {
    async admit({ userId, requestId }, options) {
      const minutes = options.ModelRequestRateLimitDurationMinutes;
      const all = Math.max(0, options.ModelRequestRateLimitCount);
      const succeeded = options.ModelRequestRateLimitSuccessCount;
      if (minutes === 0) return;
      const answer = await counting.countRequest(allKey(userId), succeededKey(userId), minutes * 60_000, all, succeeded, requestId);
      if (answer === 0) return;
      const limit = answer > 0 ? all : succeeded;
      throw new AppError('rate_limit_exceeded', { limit, minutes }, { retryAfterSeconds: Math.ceil(Math.abs(answer) / 1000) });
    },
    failed({ userId, requestId }) {
      redis.zrem(succeededKey(userId), requestId).catch(() => undefined); // the window forgets it in time
    },
  };
}

function allKey(userId: number): string {
  return `{u:${userId}}:requests`;
}

function succeededKey(userId: number): string {
  return `{u:${userId}}:requests:succeeded`;
}
