-- Stores what billing charged of a budget in buckets, where that is newer. Requires budgets.lua.
-- ARGV[first..last]: for each bucket its start (ms), what is spent, the version of that, when the bucket leaves (ms)
local function storeBuckets(key, first, last)
  local state = redis.call('HMGET', key, 'spent', 'next')
  local spent, next, isNew = tonumber(state[1] or 0), tonumber(state[2] or 0), false
  for at = first, last, 4 do
    local leaves = tonumber(ARGV[at + 3])
    local before, version = string.match(redis.call('HGET', key .. ':spent', ARGV[at]) or '0 -1 ', '^(%S+) (%S+) ')
    if leaves > now and tonumber(ARGV[at + 2]) > tonumber(version) then
      redis.call('HSET', key .. ':spent', ARGV[at], ARGV[at + 1] .. ' ' .. ARGV[at + 2] .. ' ' .. ARGV[at + 3])
      spent, isNew = spent + ARGV[at + 1] - before, isNew or version == '-1'
      if leaves < next then next = leaves end
    end
  end
  if next <= now then
    spent, next = sumBuckets(key)
    isNew = true
  else
    redis.call('HSET', key, 'spent', whole(spent), 'next', whole(next))
  end
  if isNew then keepBudget(key, next) end
end
