-- Writes the event of an answered call into its hold, which is the outbox until billing has charged it. The hold becomes the charge:
-- at most what was held plus what the balance, the limited token and the budgets that refuse calls still have. The rest is free at once.
-- Requires budgets.lua; `report()` is the script.
-- KEYS[1] wallet hash, KEYS[2] token hash, KEYS[3] hold hash, KEYS[4] sorted set of holds by the time when they are due
-- ARGV[1] quota of the event, ARGV[2] id of the limited token or '', ARGV[3] event (JSON),
-- ARGV[4] its score as a reported hold, without the time by Redis's clock (ms since 1970), ARGV[5] tokens of the event,
-- ARGV[6] the hold's `budgets` ('' = none), should the hold be lost
-- {1, uncollected, 1}, wasOpen   the event is stored (also for a repetition of the same event); uncollected in quota
-- {1, uncollected, 0}            another event was stored before, nothing changed
-- {-1, 'wallet'|'token'}         not projected yet: seed it and call again
local function report()
  local hold = redis.call('HMGET', KEYS[3], 'state', 'amount', 'token', 'uncollected', 'event', 'budgets', 'tokens')
  if hold[1] == 'reported' then return {1, tonumber(hold[4]), hold[5] == ARGV[3] and 1 or 0} end

  local held, tokenId, budgets = tonumber(hold[2] or 0), hold[3] or ARGV[2], hold[6]
  local limited, isLost = tokenId ~= '', not hold[1]
  if isLost and ARGV[6] ~= '' then budgets = ARGV[6] end
  local wallet = budgets and readWallet(budgets) or redis.call('HMGET', KEYS[1], 'balance', 'held', 'reported')
  if not wallet[1] then return {-1, 'wallet'} end
  local token = limited and redis.call('HMGET', KEYS[2], 'remain', 'held', 'reported')
  if limited and not token[1] then return {-1, 'token'} end

  local quota, charge = tonumber(ARGV[1]), tonumber(ARGV[1])
  if charge > held then
    charge = math.min(charge, held + math.max(0, wallet[1] - wallet[2]))
    if limited then charge = math.min(charge, held + math.max(0, token[1] - token[2])) end
    if budgets then charge = math.min(charge, held + roomInBudgets(wallet, budgets)) end
  end
  local text, uncollected = whole(charge), whole(quota - charge)
  local heldNow, reportedNow = wallet[2] + charge - held, (wallet[3] or 0) + charge
  if budgets then
    writeWallet(wallet, heldNow, reportedNow, -held, isLost and 0 or -1, isLost and 0 or -hold[7], charge, 1, tonumber(ARGV[5]))
    redis.call('HSET', KEYS[3], 'state', 'reported', 'amount', text, 'token', tokenId, 'event', ARGV[3], 'quota', ARGV[1],
      'uncollected', uncollected, 'at', whole(now), 'budgets', budgets, 'tokens', ARGV[5])
  else
    redis.call('HSET', KEYS[1], 'held', whole(heldNow), 'reported', whole(reportedNow))
    redis.call('HSET', KEYS[3], 'state', 'reported', 'amount', text, 'token', tokenId, 'event', ARGV[3], 'quota', ARGV[1],
      'uncollected', uncollected, 'at', whole(now))
  end
  if limited then redis.call('HSET', KEYS[2], 'held', whole(token[2] + charge - held), 'reported', whole((token[3] or 0) + charge)) end
  redis.call('ZADD', KEYS[4], whole(now + ARGV[4]), KEYS[3])
  return {1, quota - charge, 1}, hold[1] == 'open'
end
