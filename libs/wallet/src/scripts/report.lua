-- Writes the event of an answered call into its hold, which is the outbox until billing has charged it. The hold becomes the charge:
-- at most what was held plus what the balance (and the limited token) still has. The rest of the hold is free at once.
-- Requires clock.lua and move-budgets.lua; `report()` is the script.
-- KEYS[1] wallet hash, KEYS[2] token hash, KEYS[3] hold hash, KEYS[4] sorted set of holds by the time when they are due
-- ARGV[1] quota of the event, ARGV[2] id of the limited token or '', ARGV[3] event (JSON),
-- ARGV[4] its score as a reported hold, without the time by Redis's clock (ms since 1970), ARGV[5] tokens of the event,
-- ARGV[6] the hold's `budgets` ('' = none), should the hold be lost
-- {1, uncollected, 1}, wasOpen   the event is stored (also for a repetition of the same event); uncollected in quota
-- {1, uncollected, 0}            another event was stored before, nothing changed
-- {-1, 'wallet'|'token'}         not projected yet: seed it and call again
local function charged(key, current, change, charge)
  redis.call('HSET', key, 'held', whole(current[2] + change), 'reported', whole((current[3] or 0) + charge))
end

local function report()
  local hold = redis.call('HMGET', KEYS[3], 'state', 'amount', 'token', 'uncollected', 'event', 'budgets', 'tokens')
  if hold[1] == 'reported' then return {1, tonumber(hold[4]), hold[5] == ARGV[3] and 1 or 0} end

  local held, tokenId = tonumber(hold[2] or 0), hold[3] or ARGV[2]
  local limited = tokenId ~= ''
  local wallet = redis.call('HMGET', KEYS[1], 'balance', 'held', 'reported')
  if not wallet[1] then return {-1, 'wallet'} end
  local token = limited and redis.call('HMGET', KEYS[2], 'remain', 'held', 'reported')
  if limited and not token[1] then return {-1, 'token'} end

  local quota = tonumber(ARGV[1])
  local charge = math.min(quota, held + math.max(0, wallet[1] - wallet[2]))
  if limited then charge = math.min(charge, held + math.max(0, token[1] - token[2])) end
  charged(KEYS[1], wallet, charge - held, charge)
  if limited then charged(KEYS[2], token, charge - held, charge) end
  local uncollected = quota - charge
  local budgets, tokensHeld, request = hold[6], hold[7] or 0, 0
  if not hold[1] and ARGV[6] ~= '' then budgets, request = ARGV[6], 1 end
  if budgets then
    redis.call('HSET', KEYS[3], 'state', 'reported', 'amount', whole(charge), 'token', tokenId, 'event', ARGV[3], 'quota', ARGV[1],
      'uncollected', whole(uncollected), 'at', whole(now), 'budgets', budgets, 'tokens', ARGV[5])
    moveBudgets(budgets, charge - held, request, ARGV[5] - tokensHeld)
  else
    redis.call('HSET', KEYS[3], 'state', 'reported', 'amount', whole(charge), 'token', tokenId, 'event', ARGV[3], 'quota', ARGV[1],
      'uncollected', whole(uncollected), 'at', whole(now))
  end
  redis.call('ZADD', KEYS[4], whole(now + ARGV[4]), KEYS[3])
  return {1, uncollected, 1}, hold[1] == 'open'
end
