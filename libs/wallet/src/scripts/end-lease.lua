-- Ends what `lease` or `reserve-limited` has counted: the call is open no more, and what was counted too much or too little is put right.
-- What is more counts from now on, since it became known now; what is less is taken off where it was counted, unless that has left.
-- Behind limits.lua; `endLeases(0, 1)` is the script.
-- From KEYS[firstKey + 1] on, two of each subject: hash of its windows, sorted set of its open calls
-- From ARGV[first] on: request id, when it was counted (ms since 1970), how many requests, requests that have not failed, and
-- tokens it was more (negative: less), then the rules of each subject
-- 1: done
local function endLeases(firstKey, first)
  local change, at = {r = tonumber(ARGV[first + 2]), s = tonumber(ARGV[first + 3]), t = tonumber(ARGV[first + 4])}, tonumber(ARGV[first + 1])

  local function changed(n, length, sum, begun, text, from)
    if n > 0 then return more(sum, begun, text, from, n, length) end
    return less(sum, begun, text, from, -n, at)
  end

  for i = 1, (#KEYS - firstKey) / 2 do
    local windows, calls = KEYS[firstKey + 2 * i - 1], KEYS[firstKey + 2 * i]
    local fields, changes, lengths, writes, longest, isNew = {}, {}, {}, {}, 0, false
    for kind, length in string.gmatch(ARGV[first + 4 + i], '(%a)(%d+)=') do
      if kind == 'c' then
        redis.call('ZREM', calls, ARGV[first])
      else
        longest = math.max(longest, tonumber(length))
        if change[kind] ~= 0 then
          local j = #fields + 1
          fields[j], changes[j], lengths[j] = kind .. length, change[kind], tonumber(length)
        end
      end
    end
    local texts = fields[1] and redis.call('HMGET', windows, unpack(fields))
    for j, field in ipairs(fields) do
      local window, begins = changed(changes[j], lengths[j], standing(texts[j], lengths[j]))
      if window then writes[#writes + 1], writes[#writes + 2] = field, window end
      isNew = isNew or begins
    end
    if writes[1] then redis.call('HSET', windows, unpack(writes)) end
    if isNew then redis.call('PEXPIRE', windows, whole(2 * longest)) end
  end
  return 1
end
