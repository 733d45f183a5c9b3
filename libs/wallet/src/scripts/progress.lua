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

local held, tokenId, isLost = tonumber(hold[2] or 0), hold[3] or ARGV[2], not hold[1]
local limited, budgets = tokenId ~= '', hold[4] or isLost and ARGV[7] or ''
local wallet = readWallet(budgets)
if not wallet[1] then return {-1, 'wallet'} end
local token = limited and redis.call('HMGET', KEYS[2], 'remain', 'held')
if limited and not token[1] then return {-1, 'token'} end

local deadline = whole(now + ARGV[3])
redis.call('HSET', KEYS[3], 'state', 'open', 'amount', held, 'token', tokenId, 'deadline', deadline)
redis.call('ZADD', KEYS[4], deadline, KEYS[3])
if ARGV[4] ~= '' then redis.call('HSET', KEYS[3], 'event', ARGV[4], 'quota', ARGV[5]) end
if budgets and ARGV[4] ~= '' then redis.call('HSET', KEYS[3], 'draftTokens', ARGV[6]) end
if budgets and isLost then redis.call('HSET', KEYS[3], 'budgets', budgets, 'tokens', ARGV[6]) end

local growth, refusal = ARGV[1] == '' and 0 or math.max(0, ARGV[1] - held), nil
if growth > wallet[1] - wallet[2] then
  refusal = {0, 'user', wallet[1] - wallet[2]}
elseif limited and growth > token[1] - token[2] then
  refusal = {0, 'token', token[1] - token[2]}
elseif growth > roomInBudgets(wallet, budgets) then
  refusal = {0, 'budget', roomInBudgets(wallet, budgets)}
end
if refusal then growth = 0 end
if growth > 0 then
  if limited then redis.call('HSET', KEYS[2], 'held', whole(token[2] + growth)) end
  redis.call('HSET', KEYS[3], 'amount', whole(held + growth))
end
if growth > 0 or isLost then -- the budgets of a lost hold were rebuilt without it
  local requests, tokens = isLost and 1 or 0, isLost and tonumber(ARGV[6]) or 0
  writeWallet(wallet, wallet[2] + growth, tonumber(wallet[3] or 0), growth, requests, tokens, 0, 0, 0)
end
return refusal or {1, held + growth}
