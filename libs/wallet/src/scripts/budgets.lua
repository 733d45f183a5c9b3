-- Shared code of the scripts that end or change holds with budgets. Requires clock.lua; KEYS[1] is the wallet hash of the payer.
-- A budget is a field of the wallet hash, `q:<id>`, `r:<id>` or `t:<id>` by its unit (quota, requests, tokens), so that it is read and written
-- with the balance: doubles `spent` (what billing charged in the window), `reported` (answered, not charged yet), `held` (by open calls),
-- `next` (when the first bucket leaves, ms since 1970), and `version` (of a total, which has no buckets; -1: not projected, `spent` is
-- unknown). Budgets with a window have buckets beside it (buckets.lua).
-- What is held or reported counts in any window, so a window never exceeds its amount.
-- A hold with budgets has `budgets`: for each its field and its limit (- = none); `tokens` that it holds or has used; and `since`, when it was
-- reserved (ms), which fixes its buckets.
local count = 0
local read = {'HMGET', KEYS[1], 'balance', 'held', 'reported', 0, 0, 0, 0, 0, 0}

-- The balance, what is held and reported of it, and then the budgets.
local function readWallet(budgets)
  count = 0
  for field in string.gmatch(budgets or '', '[qrt]:%S+') do
    count = count + 1
    read[5 + count] = field
  end
  return redis.call(unpack(read, 1, 5 + count))
end

-- Writes what is held and reported of the wallet, and its budgets with these changes of what they hold (of quota, requests, tokens) and of
-- what is reported.
local function writeWallet(wallet, walletHeld, walletReported, quota, requests, tokens, reportedQuota, reportedRequests, reportedTokens)
  local write = {'HSET', KEYS[1], 'held', 0, 'reported', whole(walletReported), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
  write[4] = whole(math.max(0, walletHeld))
  for i = 1, count do
    local field, packed = read[5 + i], wallet[3 + i]
    local unit, spent, reported, held, next, version = string.byte(field), 0, 0, 0, 0, -1
    if packed then spent, reported, held, next, version = struct.unpack('<ddddd', packed) end
    if unit == 113 then -- q
      reported, held = reported + reportedQuota, held + quota
    elseif unit == 116 then -- t
      reported, held = reported + reportedTokens, held + tokens
    else
      reported, held = reported + reportedRequests, held + requests
    end
    if reported < 0 then reported = 0 end
    if held < 0 then held = 0 end
    write[5 + 2 * i], write[6 + 2 * i] = field, struct.pack('<ddddd', spent, reported, held, next, version)
  end
  redis.call(unpack(write, 1, 6 + 2 * count))
end

-- How much more quota the budgets that refuse calls have room for.
local function roomInBudgets(wallet, budgets)
  local room, i = math.huge, 0
  for unit, limit in string.gmatch(budgets or '', '([qrt]):%S+ (%S+)') do
    i = i + 1
    if unit == 'q' and limit ~= '-' and wallet[3 + i] then
      local spent, reported, held, _, version = struct.unpack('<ddddd', wallet[3 + i])
      if version >= 0 then room = math.min(room, math.max(0, limit - spent - reported - held)) end
    end
  end
  return room
end
