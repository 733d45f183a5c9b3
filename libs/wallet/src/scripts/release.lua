-- Ends an open hold and frees all of it. Requires budgets.lua.
-- KEYS[1] wallet hash, KEYS[2] token hash, KEYS[3] hold hash, KEYS[4] sorted set of holds by the time when they are due
-- 1: ended; 0: there is no such hold (any more), or it is reported and stays
local hold = redis.call('HMGET', KEYS[3], 'state', 'amount', 'token', 'budgets', 'tokens')
if hold[1] ~= 'open' then return 0 end

redis.call('DEL', KEYS[3]) -- the first write frees memory, so Redis at its memory limit accepts the rest of the script
redis.call('ZREM', KEYS[4], KEYS[3])
local wallet = readWallet(hold[4] or '')
if wallet[2] then
  writeWallet(wallet, wallet[2] - hold[2], tonumber(wallet[3] or 0), -hold[2], -1, -(hold[5] or 0), 0, 0, 0)
end
if hold[3] ~= '' then
  local held = redis.call('HGET', KEYS[2], 'held')
  if held then redis.call('HSET', KEYS[2], 'held', whole(math.max(0, held - hold[2]))) end
end
return 1
