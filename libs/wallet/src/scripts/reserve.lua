-- Holds quota for a call. Requires clock.lua; `reserve()` is the script. `budgetsAt`, set before this, is the place in ARGV of the call's
-- budgets (budgets.lua), 0 where it has none.
-- KEYS[1] wallet hash, KEYS[2] token hash, KEYS[3] hold hash, KEYS[4] sorted set of holds by the time when they are due
-- ARGV[1] amount (quota), ARGV[2] minimum (quota), ARGV[3] id of the limited token or '', ARGV[4] life of the hold (ms; the deadline is by
-- Redis's clock); from `budgetsAt` on: tokens that the call may use, least tokens, the hold's `budgets`, number of budgets, then the field
-- of each, then the limit of each ('-' = none)
-- {1, amount}, true                        held
-- {1, amount, tokens, since, used...}, true   the same with budgets: when (ms since 1970), and what is used of each with this call
-- {1, amount[, tokens, since]}             a repetition: the existing hold, whatever the arguments
-- {0, 'user'|'token', available}           refused, nothing changed
-- {-1, 'wallet'|'token'}, {-1, 'budget', number}   not projected yet: seed it and call again
-- {-3, budget, used, needed, atMs}         that budget refuses; there is room at `atMs`: 0 when an open call ends, -1 never, -2 when what is
-- reported leaves, in whose bucket is not known here
-- The code is deliberately straight: each function and table that Lua creates costs a call as much as a command does.
local limited = ARGV[3] ~= ''
local count = budgetsAt > 0 and tonumber(ARGV[budgetsAt + 3]) or 0
local fieldsAt, limitsAt = budgetsAt + 3, budgetsAt + 3 + count
local callTokens = budgetsAt > 0 and tonumber(ARGV[budgetsAt])
local wallet

-- The amount that can be held, or nil and the reason why none can.
local function affordable()
  local amount, minimum = tonumber(ARGV[1]), tonumber(ARGV[2])
  if count > 0 then
    wallet = redis.call('HMGET', KEYS[1], 'balance', 'held', unpack(ARGV, fieldsAt + 1, limitsAt))
  else
    wallet = redis.call('HMGET', KEYS[1], 'balance', 'held')
  end
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
  for i = 1, count do
    local packed, field, limit = wallet[2 + i], ARGV[fieldsAt + i], ARGV[limitsAt + i]
    if not packed then return nil, {-1, 'budget', i} end
    local spent, reported, held, next, version = struct.unpack('<ddddd', packed)
    if version < 0 then return nil, {-1, 'budget', i} end
    if next <= now then
      spent, next = sumBuckets(field)
      wallet[2 + i] = struct.pack('<ddddd', spent, reported, held, next, version)
      redis.call('HSET', KEYS[1], field, wallet[2 + i])
    end
    if limit ~= '-' then
      local unit, wanted, free = string.byte(field), 1, limit - spent - reported - held
      if unit == 113 then wanted = amount elseif unit == 116 then wanted = callTokens end -- q, t
      if wanted > free and wanted > 0 then
        local needed = unit == 113 and minimum or unit == 116 and tonumber(ARGV[budgetsAt + 1]) or 1
        if free < needed or free <= 0 then
          if needed < 1 then needed = 1 end
          return nil, {-3, i, limit - free, needed, roomAt(field, spent + reported, limit - needed)}
        end
        if unit == 113 then amount = free else callTokens = free end
      end
    end
  end
  return amount
end

local function heldBefore()
  local hold = redis.call('HMGET', KEYS[3], 'amount', 'tokens', 'since')
  return hold[1] and {1, tonumber(hold[1]), tonumber(hold[2]), tonumber(hold[3])}
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
  local reply = {1, amount, callTokens or nil}
  if count > 0 then
    local write = {'HSET', KEYS[1], 'held', whole(wallet[2] + amount), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
    reply[4] = now
    for i = 1, count do
      local field, n = ARGV[fieldsAt + i], 1
      local unit, spent, reported, held, next, version = string.byte(field), struct.unpack('<ddddd', wallet[2 + i])
      if unit == 113 then n = amount elseif unit == 116 then n = callTokens end
      held = held + n
      write[3 + 2 * i], write[4 + 2 * i] = field, struct.pack('<ddddd', spent, reported, held, next, version)
      reply[4 + i] = spent + reported + held
    end
    redis.call('HSET', KEYS[3], 'state', 'open', 'amount', text, 'token', ARGV[3], 'deadline', deadline,
      'budgets', ARGV[budgetsAt + 2], 'tokens', whole(callTokens), 'since', whole(now))
    redis.call(unpack(write, 1, 4 + 2 * count))
  else
    redis.call('HSET', KEYS[3], 'state', 'open', 'amount', text, 'token', ARGV[3], 'deadline', deadline)
    redis.call('HINCRBY', KEYS[1], 'held', text)
  end
  if limited then redis.call('HINCRBY', KEYS[2], 'held', text) end
  return reply, true
end
