-- Ends a hold that seems overdue. An open one past its deadline is reported with its draft, or released if it has none.
-- Requires budgets.lua.
-- KEYS[1] wallet hash, KEYS[2] hash of the hold's token, KEYS[3] hold hash,
-- KEYS[4] sorted set of holds by the time when they are due
-- ARGV[1] now (ms since 1970, by Redis's clock), ARGV[2] its score as a reported hold
-- {'none'}                                                no such hold, or it is not overdue
-- {'released'}                                            the hold is gone, all of it is free
-- {'reported', event, uncollected, lost '1'|'', at}       to be published; `lost`: the hold was open and the event is its draft
local hold = redis.call('HMGET', KEYS[3], 'state', 'amount', 'token', 'deadline', 'event', 'quota', 'uncollected', 'lost', 'at',
  'budgets', 'tokens', 'draftTokens')
if not hold[1] then
  redis.call('ZREM', KEYS[4], KEYS[3]) -- removes the entry of a hold that was deleted by hand
  return {'none'}
end
if hold[1] == 'reported' then return {'reported', hold[5], tonumber(hold[7]), hold[8] or '', hold[9]} end
if tonumber(hold[4]) > tonumber(ARGV[1]) then return {'none'} end

local limited, held, charge = hold[3] ~= '', tonumber(hold[2]), 0
local wallet = readWallet(hold[10])
local token = limited and redis.call('HMGET', KEYS[2], 'remain', 'held', 'reported')
if hold[5] then
  charge = math.min(tonumber(hold[6]), held + (wallet[1] and math.max(0, wallet[1] - wallet[2]) or 0), held + roomInBudgets(wallet, hold[10]))
  if limited then charge = math.min(charge, held + (token[1] and math.max(0, token[1] - token[2]) or 0)) end
end
if not hold[5] then
  redis.call('DEL', KEYS[3]) -- the first write frees memory, so Redis at its memory limit accepts the rest of the script
  redis.call('ZREM', KEYS[4], KEYS[3])
end
local requests, tokens = hold[5] and 1 or 0, hold[5] and tonumber(hold[12] or hold[11] or 0) or 0
local less = charge - held
writeWallet(wallet, (wallet[2] or 0) + less, (wallet[3] or 0) + charge, -held, -1, -(hold[11] or 0), charge, requests, tokens)
if limited then
  redis.call('HSET', KEYS[2], 'held', whole(math.max(0, (token[2] or 0) + less)), 'reported', whole((token[3] or 0) + charge))
end
if not hold[5] then return {'released'} end
if hold[10] then redis.call('HSET', KEYS[3], 'tokens', whole(tokens)) end
local uncollected = hold[6] - charge
redis.call('HSET', KEYS[3], 'state', 'reported', 'amount', charge, 'uncollected', uncollected, 'lost', '1', 'at', ARGV[1])
redis.call('ZADD', KEYS[4], ARGV[2], KEYS[3])
return {'reported', hold[5], uncollected, '1', ARGV[1]}
