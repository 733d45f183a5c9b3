-- Grows an open hold, stores a draft of what was delivered so far and moves the deadline. Recreates a hold that Redis lost.
-- Requires budgets.lua.
-- KEYS[1] wallet hash, KEYS[2] token hash, KEYS[3] hold hash, KEYS[4] sorted set of holds by the time when they are due
-- ARGV[1] minimum amount of the hold (quota, '' = unchanged), ARGV[2] id of the limited token or '',
-- ARGV[3] remaining life from now (ms; the deadline is by Redis's clock), ARGV[4] draft event (JSON, '' = none), ARGV[5] the draft's quota,
-- ARGV[6] its tokens, ARGV[7] the hold's `budgets` ('' = none), should the hold be lost
-- {1, amount}                       done; for a reported hold its reported amount, unchanged
-- {0, 'user'|'token'|'budget', available}   growth refused; draft and deadline are stored
-- {-1, 'wallet'|'token'}            not projected yet: seed it and call again
local hold = redis.call('HMGET', KEYS[3], 'state', 'amount', 'token', 'budgets')
if hold[1] == 'reported' then return {1, tonumber(hold[2])} end

local held, tokenId = tonumber(hold[2] or 0), hold[3] or ARGV[2]
local limited = tokenId ~= ''
local wallet = redis.call('HMGET', KEYS[1], 'balance', 'held')
if not wallet[1] then return {-1, 'wallet'} end
local token = limited and redis.call('HMGET', KEYS[2], 'remain', 'held')
if limited and not token[1] then return {-1, 'token'} end

local deadline = whole(now + ARGV[3])
redis.call('HSET', KEYS[3], 'state', 'open', 'amount', held, 'token', tokenId, 'deadline', deadline)
redis.call('ZADD', KEYS[4], deadline, KEYS[3])
if ARGV[4] ~= '' then redis.call('HSET', KEYS[3], 'event', ARGV[4], 'quota', ARGV[5]) end
local budgets = hold[4] or (not hold[1] and ARGV[7] ~= '' and ARGV[7])
if budgets then
  if ARGV[4] ~= '' then redis.call('HSET', KEYS[3], 'draftTokens', ARGV[6]) end
  if not hold[1] then -- lost with Redis: its budgets were rebuilt without it
    redis.call('HSET', KEYS[3], 'budgets', budgets, 'tokens', ARGV[6])
    moveBudgets(budgets, 0, 1, tonumber(ARGV[6]))
  end
end

local growth = ARGV[1] == '' and 0 or ARGV[1] - held
if growth <= 0 then return {1, held} end
if growth > wallet[1] - wallet[2] then return {0, 'user', wallet[1] - wallet[2]} end
if limited and growth > token[1] - token[2] then return {0, 'token', token[1] - token[2]} end
if budgets then
  for unit, limit, key in string.gmatch(budgets, '(%a) (%S+) (%S+)') do
    local spent, taken = usedOf(key)
    if unit == 'q' and limit ~= '-' and spent and growth > limit - spent - taken then return {0, 'budget', limit - spent - taken} end
  end
  moveBudgets(budgets, growth, 0, 0)
end
redis.call('HINCRBY', KEYS[1], 'held', growth)
if limited then redis.call('HINCRBY', KEYS[2], 'held', growth) end
redis.call('HSET', KEYS[3], 'amount', held + growth)
return {1, held + growth}
