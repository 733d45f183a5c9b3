-- Ends an open hold and frees all of it.
-- KEYS[1] wallet hash, KEYS[2] token hash, KEYS[3] hold hash
-- 1: ended; 0: there is no such hold (any more), and its index entry may go; -1: it is reported and stays
local hold = redis.call('HMGET', KEYS[3], 'state', 'amount', 'token')
if not hold[1] then return 0 end
if hold[1] == 'reported' then return -1 end

redis.call('DEL', KEYS[3]) -- a first write that frees: a Redis at its memory limit then lets the others pass
local function free(key)
  local held = redis.call('HGET', key, 'held')
  if held then redis.call('HSET', key, 'held', math.max(0, held - hold[2])) end
end
free(KEYS[1])
if hold[3] ~= '' then free(KEYS[2]) end
return 1
