-- Counts a call against the limits of subjects. Requires limits.lua.
-- ARGV holds the rules of a subject from a given place: number of windows, expiry of the counters (ms), concurrent calls ('': unlimited),
-- then for each window its field, length (ms) and limit.

-- In how many ms `need` will have left the window; -1: never.
local function untilLeft(text, from, need, length)
  for entry = from, #text, 16 do
    local last, count = struct.unpack('<dd', text, entry)
    need = need - count
    if need <= 0 then return last + length - now end
  end
  return -1
end

-- Checks a call of `tokens` tokens against the rules of a subject, and appends the usage of each rule with the call to `used`. Returns:
-- nil, the arguments of `take`, the expiry in ms (false: unchanged), the number of open calls (false: not counted)
-- rule (from 1), used, waitMs   that rule is reached; there is room in `waitMs` (-1 never, 0 unknown)
local function look(windows, calls, place, tokens, used)
  local windowCount, forgetMs, most = tonumber(ARGV[place]), tonumber(ARGV[place + 1]), tonumber(ARGV[place + 2])
  local write, forgetAfter, open = false, false, false
  if windowCount > 0 then
    local field, shape, size = place + 3, place + 3 + windowCount, 2
    local texts = redis.call('HMGET', windows, unpack(ARGV, field, shape - 1))
    write = {'HSET', windows}
    for i = 1, windowCount do
      local n, length, limit = 1, tonumber(ARGV[shape]), tonumber(ARGV[shape + 1])
      if string.byte(ARGV[field]) == 116 then n = tokens end -- t
      local sum, begun, text, from = readWindow(texts[i], length)
      sum = sum + n
      if n > 0 then
        if sum > limit then return i, sum - n, n > limit and -1 or untilLeft(text, from, sum - limit, length) end
        local window, begins = more(sum, begun, text, from, n, length)
        write[size + 1], write[size + 2], size = ARGV[field], window, size + 2
        -- Every call with tokens counts in the longest window, so a caller who goes on begins an entry there in time.
        if begins and (2 * length == forgetMs or tokens == 0) then forgetAfter = ARGV[place + 1] end
      end
      used[#used + 1] = sum
      field, shape = field + 1, shape + 2
    end
    if size == 2 then write = false end
  end
  if most then
    open = redis.call('ZCARD', calls)
    if open >= most then -- expired ones are removed only when they would block the call
      redis.call('ZREMRANGEBYSCORE', calls, '-inf', whole(now))
      open = redis.call('ZCARD', calls)
      if open >= most then return windowCount + 1, open, 0 end
    end
    used[#used + 1] = open + 1
  end
  return nil, write, forgetAfter, open
end

local function take(windows, calls, write, forgetAfter, open, id, lifeMs)
  if write then redis.call(unpack(write)) end
  if forgetAfter then redis.call('PEXPIRE', windows, forgetAfter) end
  if not open then return end
  redis.call('ZADD', calls, whole(now + lifeMs), id)
  if open == 0 or redis.call('PTTL', calls) < 1.5 * lifeMs then redis.call('PEXPIRE', calls, whole(2 * lifeMs)) end
end
