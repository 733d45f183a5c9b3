-- Holds quota for a call. Requires clock.lua; `reserve()` is the script.
-- KEYS[1] wallet hash, KEYS[2] token hash, KEYS[3] hold hash, KEYS[4] sorted set of holds by the time when they are due
-- ARGV[1] amount (quota), ARGV[2] minimum (quota), ARGV[3] id of the limited token or '', ARGV[4] life of the hold (ms; the deadline is by
-- Redis's clock)
-- {1, amount}, true                 held; with budgets more (reserve-budgets.lua)
-- {1, amount}                       a repetition: the existing hold, whatever the arguments
-- {0, 'user'|'token', available}    refused, nothing changed
-- {-1, 'wallet'|'token'}            not projected yet: seed it and call again
local limited = ARGV[3] ~= ''
local affordBudgets, takeBudgets -- set by reserve-budgets.lua

-- The amount that can be held, or nil and the reason why none can.
local function affordable()
  local amount, minimum = tonumber(ARGV[1]), tonumber(ARGV[2])
  local wallet = redis.call('HMGET', KEYS[1], 'balance', 'held')
  if not wallet[1] then return nil, {-1, 'wallet'} end
  local token = limited and redis.call('HMGET', KEYS[2], 'remain', 'held')
  if limited and not token[1] then return nil, {-1, 'token'} end

  local available = wallet[1] - wallet[2]
  if amount > available and amount > 0 then
    if available < minimum or available <= 0 then return nil, {0, 'user', available} end
    amount = available
  end
  if limited then
    available = token[1] - token[2]
    if amount > available and amount > 0 then
      if available < minimum or available <= 0 then return nil, {0, 'token', available} end
      amount = available
    end
  end
  if affordBudgets then return affordBudgets(amount) end
  return amount
end

local function heldBefore()
  local hold = redis.call('HMGET', KEYS[3], 'amount', 'tokens', 'uses')
  return hold[1] and {1, tonumber(hold[1]), tonumber(hold[2]), hold[3] or nil}
end

local function reserve()
  local amount, refusal = affordable()
  if not amount then return heldBefore() or refusal end
  local deadline = whole(now + ARGV[4])
  if redis.call('ZADD', KEYS[4], 'NX', deadline, KEYS[3]) == 0 then -- a hold and its index entry are created and removed together
    local before = heldBefore()
    if before then return before end
    redis.call('ZADD', KEYS[4], deadline, KEYS[3]) -- the hold was deleted by hand
  end
  local text = whole(amount)
  local reply = {1, amount}
  if takeBudgets then
    takeBudgets(reply, amount)
    redis.call('HSET', KEYS[3], 'state', 'open', 'amount', text, 'token', ARGV[3], 'deadline', deadline,
      'budgets', ARGV[7], 'tokens', whole(reply[3]), 'uses', reply[4])
  else
    redis.call('HSET', KEYS[3], 'state', 'open', 'amount', text, 'token', ARGV[3], 'deadline', deadline)
  end
  redis.call('HINCRBY', KEYS[1], 'held', text)
  if limited then redis.call('HINCRBY', KEYS[2], 'held', text) end
  return reply, true
end
