-- Ends the charged holds of one user and stores the database's new balances. Skips what is not projected: the next reserve seeds it
-- from the database. Requires budgets.lua and store-buckets.lua.
-- KEYS[1] wallet hash, KEYS[2] sorted set of holds by the time when they are due, then n hold hashes, then m token hashes
-- ARGV[1] n, ARGV[2] balance (quota), ARGV[3] its version, ARGV[4] m, then for each of the m tokens: id, remain (quota, '' = unknown),
-- version; then for each budget: its field, number of buckets, and for each of these its start (ms), what is spent, its version, when it
-- leaves (ms)
-- returns the number of holds found
local n, m, found, freed, billed, freedOf, billedOf, inBudgets = tonumber(ARGV[1]), tonumber(ARGV[4]), 0, 0, 0, {}, {}, {}
for i = 3, n + 2 do
  local hold = redis.call('HMGET', KEYS[i], 'amount', 'token', 'state', 'budgets', 'tokens')
  if hold[1] then
    found = found + 1
    freed = freed + hold[1]
    if hold[4] then inBudgets[#inBudgets + 1] = hold end
    freedOf[hold[2]] = (freedOf[hold[2]] or 0) + hold[1]
    if hold[3] == 'reported' then
      billed = billed + hold[1]
      billedOf[hold[2]] = (billedOf[hold[2]] or 0) + hold[1]
    end
  end
end
for from = 3, n + 2, 1000 do -- Lua limits the arguments of one call
  local to = math.min(from + 999, n + 2)
  redis.call('DEL', unpack(KEYS, from, to)) -- the first write frees memory, so Redis at its memory limit accepts the rest of the script
  redis.call('ZREM', KEYS[2], unpack(KEYS, from, to))
end

local function take(key, field, value, version, freedHere, billedHere)
  local current = redis.call('HMGET', key, 'version', 'held', 'reported')
  if not current[1] then return end
  if value ~= '' and tonumber(version) > tonumber(current[1]) then redis.call('HSET', key, field, value, 'version', version) end
  if freedHere > 0 then redis.call('HSET', key, 'held', math.max(0, current[2] - freedHere)) end
  if billedHere > 0 then redis.call('HSET', key, 'reported', math.max(0, (current[3] or 0) - billedHere)) end
end
take(KEYS[1], 'balance', ARGV[2], ARGV[3], freed, billed)
for i = n + 3, n + m + 2 do
  local at = 5 + 3 * (i - n - 3)
  take(KEYS[i], 'remain', ARGV[at + 1], ARGV[at + 2], freedOf[ARGV[at]] or 0, billedOf[ARGV[at]] or 0)
end
for _, hold in ipairs(inBudgets) do
  local wallet, quota, tokens = readWallet(hold[4] or ''), -hold[1], -hold[5]
  if hold[3] == 'reported' then
    writeWallet(wallet, wallet[2] or 0, wallet[3] or 0, 0, 0, 0, quota, -1, tokens)
  else
    writeWallet(wallet, wallet[2] or 0, wallet[3] or 0, quota, -1, tokens, 0, 0, 0)
  end
end
local place = 5 + 3 * m
while place < #ARGV do
  local last = place + 1 + 4 * ARGV[place + 1]
  local packed = redis.call('HGET', KEYS[1], ARGV[place])
  if packed and select(5, struct.unpack('<ddddd', packed)) >= 0 then storeBuckets(ARGV[place], place + 2, last) end
  place = last + 1
end
return found
