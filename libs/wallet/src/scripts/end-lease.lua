-- Ends what `lease` or `reserve-limited` has counted of one or more subjects: the call is open no more, and what it counted too much or
-- too little is put right. What is more counts from now on, since it became known now; what is less is taken off where it was counted,
-- unless that has left. Behind limits.lua.
-- KEYS of each subject: hash of its windows, sorted set of its open calls
-- ARGV[1] request id, ARGV[2] when it was counted (ms since 1970), ARGV[3..5] how many requests, requests that have not failed, and
-- tokens it was more (negative: less), then the rules of each subject
-- 1: done
local change, at = {r = tonumber(ARGV[3]), s = tonumber(ARGV[4]), t = tonumber(ARGV[5])}, tonumber(ARGV[2])

local function changed(text, n, length)
  local sum, begun, entries = standing(text, length)
  if n > 0 then return more(sum, begun, entries, n, length) end
  return less(sum, begun, entries, -n, at)
end

for i = 1, #KEYS / 2 do
  local windows, calls = KEYS[2 * i - 1], KEYS[2 * i]
  local fields, lengths, writes, longest = {}, {}, {}, 0
  for kind, length in string.gmatch(ARGV[5 + i], '(%a)(%d+)=') do
    if kind == 'c' then
      redis.call('ZREM', calls, ARGV[1])
    elseif change[kind] ~= 0 then
      fields[#fields + 1], lengths[#lengths + 1] = kind .. length, tonumber(length)
    end
  end
  local texts = fields[1] and redis.call('HMGET', windows, unpack(fields))
  for j, field in ipairs(fields) do
    local window, isNew = changed(texts[j], change[string.sub(field, 1, 1)], lengths[j])
    if window then writes[#writes + 1], writes[#writes + 2] = field, window end
    if isNew then longest = math.max(longest, lengths[j]) end
  end
  if writes[1] then redis.call('HSET', windows, unpack(writes)) end
  if longest > 0 then redis.call('PEXPIRE', windows, math.max(2 * longest, redis.call('PTTL', windows))) end
end
return 1
