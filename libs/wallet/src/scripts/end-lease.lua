-- Ends what `lease` or `reserve-limited` has counted: the call is open no more, and what it counted too much or too little is put right.
-- What is more counts from now on, since it became known now; what is less is taken off where it was counted, unless that has left.
-- Behind limits.lua.
-- KEYS[1] hash of the subject's windows, KEYS[2] sorted set of its open calls
-- ARGV[1] rules, ARGV[2] request id, ARGV[3] when it was counted (ms since 1970), ARGV[4..6] how many requests, requests that have not
-- failed, and tokens it was more (negative: less)
-- 1: done
local change = {r = tonumber(ARGV[4]), s = tonumber(ARGV[5]), t = tonumber(ARGV[6])}
for kind, text in string.gmatch(ARGV[1], '(%a)(%d+)=') do
  local n, length = change[kind], tonumber(text)
  if kind == 'c' then
    redis.call('ZREM', KEYS[2], ARGV[2])
  elseif n ~= 0 then
    local field = kind .. text
    local sum, begun, entries = standing(redis.call('HGET', KEYS[1], field), length)
    local window, isNew
    if n > 0 then
      window, isNew = more(sum, begun, entries, n, length)
    else
      window = less(sum, begun, entries, -n, tonumber(ARGV[3]))
    end
    if window then redis.call('HSET', KEYS[1], field, window) end
    if isNew then redis.call('PEXPIRE', KEYS[1], math.max(2 * length, redis.call('PTTL', KEYS[1]))) end
  end
end
return 1
