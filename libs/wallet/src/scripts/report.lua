-- Writes the event of an answered call into its hold, which is the outbox until billing has charged it. The hold becomes the charge:
-- at most what was held plus what the balance (and the limited token) still has; what was held beyond it is free at once.
-- KEYS[1] wallet hash, KEYS[2] token hash, KEYS[3] hold hash, KEYS[4] sorted set of holds by when they are due
-- ARGV[1] quota of the event, ARGV[2] id of the limited token or '', ARGV[3] event (JSON),
-- ARGV[4] its score as a reported hold, less the time by Redis's clock (ms since 1970)
-- {1, uncollected, 1}       the event stands (also for a repetition of the same event); uncollected in quota
-- {1, uncollected, 0}       another event stands already, nothing changed
-- {-1, 'wallet'|'token'}    not projected yet: seed it and call again
local hold = redis.call('HMGET', KEYS[3], 'state', 'amount', 'token', 'uncollected', 'event')
if hold[1] == 'reported' then return {1, tonumber(hold[4]), hold[5] == ARGV[3] and 1 or 0} end

local held, tokenId = tonumber(hold[2] or 0), hold[3] or ARGV[2]
local limited = tokenId ~= ''
local wallet = redis.call('HMGET', KEYS[1], 'balance', 'held')
if not wallet[1] then return {-1, 'wallet'} end
local token = limited and redis.call('HMGET', KEYS[2], 'remain', 'held')
if limited and not token[1] then return {-1, 'token'} end

local quota = tonumber(ARGV[1])
local charge = math.min(quota, held + math.max(0, wallet[1] - wallet[2]))
if limited then charge = math.min(charge, held + math.max(0, token[1] - token[2])) end
if charge ~= held then
  redis.call('HINCRBY', KEYS[1], 'held', charge - held)
  if limited then redis.call('HINCRBY', KEYS[2], 'held', charge - held) end
end
redis.call('HINCRBY', KEYS[1], 'reported', charge)
if limited then redis.call('HINCRBY', KEYS[2], 'reported', charge) end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', KEYS[3], 'state', 'reported', 'amount', charge, 'token', tokenId, 'event', ARGV[3], 'quota', ARGV[1],
  'uncollected', quota - charge, 'at', now)
redis.call('ZADD', KEYS[4], now + ARGV[4], KEYS[3])
return {1, quota - charge, 1}
