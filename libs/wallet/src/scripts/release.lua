-- Ends an open hold and frees all of it. Requires move-budgets.lua.
-- KEYS[1] wallet hash, KEYS[2] token hash, KEYS[3] hold hash, KEYS[4] sorted set of holds by the time when they are due
-- 1: ended; 0: there is no such hold (any more), or it is reported and stays
local hold = redis.call('HMGET', KEYS[3], 'state', 'amount', 'token', 'budgets', 'tokens')
if hold[1] ~= 'open' then return 0 end

redis.call('DEL', KEYS[3]) -- the first write frees memory, so Redis at its memory limit accepts the rest of the script
redis.call('ZREM', KEYS[4], KEYS[3])
local function free(key)
  local held = redis.call('HGET', key, 'held')
  if held then redis.call('HSET', key, 'held', math.max(0, held - hold[2])) end
end
free(KEYS[1])
if hold[3] ~= '' then free(KEYS[2]) end
if hold[4] then moveBudgets(hold[4], -hold[2], -1, -hold[5]) end
return 1
