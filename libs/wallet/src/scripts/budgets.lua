-- Shared code of the scripts that read budgets. Requires clock.lua. A budget of a payer is two hashes in the payer's shard:
-- <key>         `spent` (sum of the buckets in the window, as billing charged them), `held` (by calls that billing has not charged yet),
--               `next` (when the first of these buckets leaves, ms since 1970)
-- <key>:spent   start of a bucket (ms) -> "<spent> <version> <when it leaves (ms)>"
-- A held call counts in any window until it is charged, so a window never exceeds its amount.

local never, forgetMs = 8.64e15, 40 * 86400000 -- longer than any window that resets

-- Removes the buckets that have left and returns what the others add up to.
local function sumBuckets(key)
  local sum, next, gone = 0, never, {}
  local buckets = redis.call('HGETALL', key .. ':spent')
  for i = 1, #buckets, 2 do
    local spent, leaves = string.match(buckets[i + 1], '^(%S+) %S+ (%S+)$')
    leaves = tonumber(leaves)
    if leaves <= now then
      gone[#gone + 1] = buckets[i]
    else
      sum = sum + spent
      if leaves < next then next = leaves end
    end
  end
  if gone[1] then redis.call('HDEL', key .. ':spent', unpack(gone)) end
  redis.call('HSET', key, 'spent', whole(sum), 'next', whole(next))
  return sum, next
end

local function keepBudget(key, next)
  if next >= never and redis.call('HLEN', key .. ':spent') > 0 then -- a total
    redis.call('PERSIST', key)
    redis.call('PERSIST', key .. ':spent')
    return
  end
  redis.call('PEXPIRE', key, forgetMs)
  redis.call('PEXPIRE', key .. ':spent', forgetMs)
end

-- What is spent and held of a budget; nil when it is not projected.
local function usedOf(key)
  local state = redis.call('HMGET', key, 'spent', 'held', 'next')
  if not state[1] then return nil end
  local spent = tonumber(state[1])
  if tonumber(state[3]) <= now then
    local next
    spent, next = sumBuckets(key)
    keepBudget(key, next)
  end
  return spent, tonumber(state[2] or 0)
end
