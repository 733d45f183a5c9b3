-- Holds quota for several calls of one user whose token has no limit. Requires clock.lua.
-- KEYS[1] wallet hash, KEYS[2] sorted set of holds by the time when they are due, then the hold hash of each call
-- ARGV for each call: amount (quota), how long the hold may live (ms)
-- a digit for each call: 1 held; 0 nothing changed, reserve this call alone (a repetition, too little balance, no projected wallet)
local count = #KEYS - 2
local wallet = redis.call('HMGET', KEYS[1], 'balance', 'held')
if not wallet[1] then return string.rep('0', count) end
local known = redis.call('ZMSCORE', KEYS[2], unpack(KEYS, 3))
local available, taken = wallet[1] - wallet[2], 0
local answers, holds, entries = {}, {}, {}
for i = 1, count do
  local amount = tonumber(ARGV[2 * i - 1])
  answers[i] = '0'
  if not known[i] and (amount <= available or amount == 0) then
    answers[i] = '1'
    available, taken = available - amount, taken + amount
    holds[#holds + 1] = i
    entries[#entries + 1], entries[#entries + 2] = whole(now + ARGV[2 * i]), KEYS[i + 2]
  end
end
if not holds[1] then return table.concat(answers) end
redis.call('HINCRBY', KEYS[1], 'held', whole(taken)) -- first, so that a script stopped halfway holds too much rather than too little
redis.call('ZADD', KEYS[2], unpack(entries))
for at, i in ipairs(holds) do
  redis.call('HSET', KEYS[i + 2], 'state', 'open', 'amount', ARGV[2 * i - 1], 'token', '', 'deadline', entries[2 * at - 1])
end
return table.concat(answers)
