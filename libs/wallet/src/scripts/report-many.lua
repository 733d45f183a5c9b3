-- Reports several answered calls of one user whose token has no limit, each as report.lua does. Requires clock.lua.
-- KEYS[1] wallet hash, KEYS[2] sorted set of holds by the time when they are due, then the hold hash of each call
-- ARGV[1] score of a reported hold without the time by Redis's clock (ms since 1970); then for each call: quota of the event, event (JSON)
-- a digit for each call: 1 the event is stored and fully covered; 0 nothing changed, report this call alone
local count = #KEYS - 2
local wallet = redis.call('HMGET', KEYS[1], 'balance', 'held', 'reported')
if not wallet[1] then return string.rep('0', count) end
local balance, held, reported = tonumber(wallet[1]), tonumber(wallet[2]), tonumber(wallet[3] or 0)
local answers, holds, entries = {}, {}, {}
local at, due = whole(now), whole(now + ARGV[1])
for i = 1, count do
  local hold = redis.call('HMGET', KEYS[i + 2], 'state', 'amount', 'token')
  local quota = tonumber(ARGV[2 * i])
  answers[i] = '0'
  if hold[1] == 'open' and hold[3] == '' and quota - hold[2] <= math.max(0, balance - held) then
    answers[i] = '1'
    held, reported = held + quota - hold[2], reported + quota
    holds[#holds + 1] = i
    entries[#entries + 1], entries[#entries + 2] = due, KEYS[i + 2]
  end
end
if not holds[1] then return table.concat(answers) end
redis.call('HSET', KEYS[1], 'held', whole(held), 'reported', whole(reported))
for _, i in ipairs(holds) do
  redis.call('HSET', KEYS[i + 2], 'state', 'reported', 'amount', ARGV[2 * i], 'event', ARGV[2 * i + 1], 'quota', ARGV[2 * i],
    'uncollected', '0', 'at', at)
end
redis.call('ZADD', KEYS[2], unpack(entries))
return table.concat(answers)
