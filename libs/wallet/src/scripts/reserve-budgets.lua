-- Has `reserve` hold the call in the payer's budgets, too. Requires reserve.lua and budgets.lua.
-- The last of KEYS are the budgets. ARGV[5] tokens that the call may use, ARGV[6] least tokens, ARGV[7] the hold's `budgets`, ARGV[8] number
-- of budgets, then for each: unit (q quota, r requests, t tokens), limit ('' = none), and its window: length of a sub-bucket (ms, 0 = none)
-- and of the window (ms); without sub-buckets start, end and next end of the window (ms).
-- Replies of `reserve` with budgets:
-- {1, amount, tokens, uses}            held; for each budget start and end of the bucket, and what is used of it with this call
-- {-3, budget, used, needed, atMs}              that budget refuses; there is room at `atMs` (0 when an open call ends, -1 never)
-- {-1, 'budget', budget}                        not projected yet: seed it and call again
local budgetArgs = 6
local firstBudget, budgetCount = #KEYS - ARGV[8], tonumber(ARGV[8])
local callTokens, budgetsUsed = tonumber(ARGV[5]), {}

-- When `spent` is at most `room`: buckets leave one after another.
local function roomAt(key, spent, room)
  if spent <= room then return 0 end
  if room < 0 then return -1 end
  local leaving, buckets = {}, redis.call('HGETALL', key .. ':spent')
  for i = 1, #buckets, 2 do
    local amount, leaves = string.match(buckets[i + 1], '^(%S+) %S+ (%S+)$')
    leaving[#leaving + 1] = {tonumber(leaves), tonumber(amount)}
  end
  table.sort(leaving, function(a, b) return a[1] < b[1] end)
  for _, bucket in ipairs(leaving) do
    spent = spent - bucket[2]
    if spent <= room then return bucket[1] < never and bucket[1] or -1 end
  end
  return -1
end

-- The amount that all budgets have room for, or nil and the refusal.
function affordBudgets(amount)
  local minimum, least = tonumber(ARGV[2]), tonumber(ARGV[6])
  for i = 1, budgetCount do
    local place, key = 9 + (i - 1) * budgetArgs, KEYS[firstBudget + i]
    local spent, held = usedOf(key)
    if not spent then return nil, {-1, 'budget', i} end
    local unit = ARGV[place]
    if ARGV[place + 1] ~= '' then
      local limit = tonumber(ARGV[place + 1])
      local free, wanted, needed = limit - spent - held, 1, 1
      if unit == 'q' then wanted, needed = amount, minimum end
      if unit == 't' then wanted, needed = callTokens, least end
      if wanted > free and wanted > 0 then
        if free < needed or free <= 0 then
          needed = math.max(1, needed)
          return nil, {-3, i, spent + held, needed, roomAt(key, spent, limit - needed)}
        end
        if unit == 'q' then amount = free else callTokens = free end
      end
    end
    budgetsUsed[i] = spent + held
  end
  return amount
end

function takeBudgets(reply, amount)
  local uses = {}
  for i = 1, budgetCount do
    local place, key = 9 + (i - 1) * budgetArgs, KEYS[firstBudget + i]
    local unit, size, from, leaves = ARGV[place], tonumber(ARGV[place + 2]), tonumber(ARGV[place + 3]), tonumber(ARGV[place + 4])
    if size > 0 then
      local length = from
      from = now - now % size
      leaves = from + size + length
    elseif now >= leaves then -- the window has ended on the way
      from, leaves = leaves, tonumber(ARGV[place + 5])
    end
    local n = unit == 'q' and amount or unit == 't' and callTokens or 1
    if n > 0 then redis.call('HINCRBY', key, 'held', whole(n)) end
    uses[i] = string.format('%d %d %d', from, leaves, budgetsUsed[i] + n)
  end
  reply[3], reply[4] = callTokens, table.concat(uses, ' ')
end
