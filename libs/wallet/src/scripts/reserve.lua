-- Holds quota for a call.
-- KEYS[1] wallet hash, KEYS[2] token hash, KEYS[3] hold hash, KEYS[4] sorted set of holds by when they are due
-- ARGV[1] amount (quota), ARGV[2] minimum (quota), ARGV[3] id of the limited token or '', ARGV[4] how long it may live (ms; the deadline is by Redis's clock)
-- {1, amount}                       held; for a repetition what is held already
-- {0, 'user'|'token', available}    refused, nothing changed
-- {-1, 'wallet'|'token'}            not projected yet: seed it and call again
local standing = redis.call('HGET', KEYS[3], 'amount')
if standing then return {1, tonumber(standing)} end

local amount, minimum, limited = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] ~= ''
local wallet = redis.call('HMGET', KEYS[1], 'balance', 'held')
if not wallet[1] then return {-1, 'wallet'} end
local token = limited and redis.call('HMGET', KEYS[2], 'remain', 'held')
if limited and not token[1] then return {-1, 'token'} end

local available = wallet[1] - wallet[2]
if amount > available and amount > 0 then
  if available < minimum or available <= 0 then return {0, 'user', available} end
  amount = available
end
if limited then
  available = token[1] - token[2]
  if amount > available and amount > 0 then
    if available < minimum or available <= 0 then return {0, 'token', available} end
    amount = available
  end
  redis.call('HINCRBY', KEYS[2], 'held', amount)
end
redis.call('HINCRBY', KEYS[1], 'held', amount)
local time = redis.call('TIME')
local deadline = time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[4]
redis.call('HSET', KEYS[3], 'state', 'open', 'amount', amount, 'token', ARGV[3], 'deadline', deadline)
redis.call('ZADD', KEYS[4], deadline, KEYS[3])
return {1, amount}
