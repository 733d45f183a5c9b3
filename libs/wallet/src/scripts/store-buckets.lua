-- Stores what billing charged of a budget, where that is newer. Requires buckets.lua.
-- ARGV[first..last]: for each bucket its start (ms), what is spent, the version of that, when the bucket leaves (ms)
local function storeBuckets(field, first, last)
  local packed = redis.call('HGET', KEYS[1], field)
  local spent, reported, held, next, version = 0, 0, 0, never, -1
  if packed then spent, reported, held, next, version = struct.unpack('<ddddd', packed) end
  local key, isFresh, isTotal, isNew = bucketsOf(field), version < 0, false, false
  if isFresh then spent, next = 0, never end
  for at = first, last, 4 do
    local leaves, itsVersion = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 2])
    if leaves >= never then -- a total: its one bucket is the budget itself
      isTotal = true
      if itsVersion > version then spent, version = tonumber(ARGV[at + 1]), itsVersion end
    elseif leaves > now then
      local before, stored = string.match(redis.call('HGET', key, ARGV[at]) or '0 -1 ', '^(%S+) (%S+) ')
      if itsVersion > tonumber(stored) then
        redis.call('HSET', key, ARGV[at], ARGV[at + 1] .. ' ' .. ARGV[at + 2] .. ' ' .. ARGV[at + 3])
        spent, isNew = spent + ARGV[at + 1] - before, isNew or stored == '-1'
        if leaves < next then next = leaves end
      end
    end
  end
  if next <= now or (isFresh and not isTotal) then spent, next = sumBuckets(field) end
  if isNew then redis.call('PEXPIRE', key, forgetMs) end
  if version < 0 then version = 0 end
  redis.call('HSET', KEYS[1], field, struct.pack('<ddddd', spent, reported, held, next, version))
end
