-- Ends what `lease` or `reserve-limited` counted: closes the call and corrects the estimates.
-- An undercount is added now, because it became known now. An overcount is removed where it was counted, unless that entry has left.
-- Requires limits.lua; `endLeases(0, 1)` is the script.
-- From KEYS[firstKey + 1] on, two per subject: hash of its windows, sorted set of its open calls
-- From ARGV[place] on: request id, then per subject: number of windows to change, expiry of the counters (ms), '1' = it limits concurrent
-- calls, when the call was counted (ms since 1970), then for each window its field, length (ms) and change (negative: less)
-- 1: done

-- The window with `n` less in the entry of time `at`; nil when that entry has left.
local function less(sum, begun, text, from, n, at)
  local place, last, count
  for entry = #text - 15, from, -16 do
    local lastThere, countThere = struct.unpack('<dd', text, entry)
    if lastThere < at then break end
    place, last, count = entry, lastThere, countThere
  end
  if not place then return nil end
  if n > count then n = count end
  return struct.pack('<dd', sum - n, begun) .. string.sub(text, from, place - 1) .. struct.pack('<dd', last, count - n) .. string.sub(text, place + 16)
end

local function endLeases(firstKey, place)
  local id = ARGV[place]
  place = place + 1
  for key = firstKey + 1, #KEYS, 2 do
    local windowCount = tonumber(ARGV[place])
    if ARGV[place + 2] == '1' then redis.call('ZREM', KEYS[key + 1], id) end
    if windowCount > 0 then
      local at, field, shape = tonumber(ARGV[place + 3]), place + 4, place + 4 + windowCount
      local texts, write, size, isNew = redis.call('HMGET', KEYS[key], unpack(ARGV, field, shape - 1)), {'HSET', KEYS[key]}, 2, false
      for i = 1, windowCount do
        local length, change, window, begins = tonumber(ARGV[shape]), tonumber(ARGV[shape + 1])
        local sum, begun, text, from = readWindow(texts[i], length)
        if change > 0 then
          window, begins = more(sum + change, begun, text, from, change, length)
          isNew = isNew or begins
        else
          window = less(sum, begun, text, from, -change, at)
        end
        if window then write[size + 1], write[size + 2], size = ARGV[field], window, size + 2 end
        field, shape = field + 1, shape + 2
      end
      if size > 2 then redis.call(unpack(write)) end
      if isNew then redis.call('PEXPIRE', KEYS[key], ARGV[place + 1]) end
    end
    place = place + 4 + 3 * windowCount
  end
  return 1
end
