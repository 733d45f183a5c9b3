-- The buckets of budgets with a window. Requires clock.lua and budgets.lua's layout; KEYS[1] is the wallet hash of the payer.
-- {u}:budget:<payer>:<id>: start of a bucket (ms) -> "<spent> <version> <when it leaves (ms)>"

local never, forgetMs = 8.64e15, 40 * 86400000 -- longer than any window that resets

local function bucketsOf(field)
  return (string.gsub(KEYS[1], ':wallet:', ':budget:', 1)) .. string.sub(field, 2)
end

-- Removes the buckets that have left. Returns what the others add up to, and when the next one leaves.
local function sumBuckets(field)
  local sum, next, gone, key = 0, never, {}, bucketsOf(field)
  local buckets = redis.call('HGETALL', key)
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
  if gone[1] then redis.call('HDEL', key, unpack(gone)) end
  return sum, next
end
