-- What the scripts of limits share. A subject (a user, a token, a group, a model, a channel) has a hash of sliding windows and a
-- sorted set of its open calls by when they are given up (ms since 1970). Behind clock.lua.
-- Rules are a text such as 'r60000=100;t60000=5000;c0=8': r requests, s requests that have not failed, t tokens, each within so many
-- ms; c calls at once. A window is the field of the hash named by its kind and length. In it stand, as doubles: the sum, when the
-- newest entry was begun, then one entry or more, oldest first: the time of the last thing counted there, and how much was. What comes
-- within a sixtieth of the window shares an entry and leaves with the last of it: in no stretch of time as long as the window is
-- more counted than the limit, and over time no less than 60/61 of it.

-- The sum, when the newest entry was begun, the window's text, and where in it the entries begin that have not left yet.
local function standing(text, length)
  if not text then return 0, 0, '', 1 end
  local sum, begun, last, count = struct.unpack('<dddd', text)
  if begun > now + length then return 0, 0, '', 1 end -- written by a clock that was wrong
  local from = 17
  while last + length <= now do
    sum, from = sum - count, from + 16
    if from > #text then break end
    last, count = struct.unpack('<dd', text, from)
  end
  return sum, begun, text, from
end

-- The window with `n` more, and whether a new entry was begun.
local function more(sum, begun, text, from, n, length)
  local newest = #text - 15
  if from <= newest and now - begun < length / 60 then
    local last, count = struct.unpack('<dd', text, newest)
    return struct.pack('<dd', sum + n, begun) .. string.sub(text, from, newest - 1) .. struct.pack('<dd', math.max(last, now), count + n), false
  end
  return struct.pack('<dd', sum + n, now) .. string.sub(text, from) .. struct.pack('<dd', now, n), true
end

-- The window with `n` less where it was counted at `at`; nil when that has left.
local function less(sum, begun, text, from, n, at)
  local place, last, count
  for entry = #text - 15, from, -16 do
    local lastThere, countThere = struct.unpack('<dd', text, entry)
    if lastThere < at then break end
    place, last, count = entry, lastThere, countThere
  end
  if not place then return nil end
  n = math.min(n, count)
  return struct.pack('<dd', sum - n, begun) .. string.sub(text, from, place - 1) .. struct.pack('<dd', last, count - n) .. string.sub(text, place + 16)
end

-- In how many ms `need` will have left; -1: it never will.
local function untilLeft(text, from, need, length)
  for entry = from, #text, 16 do
    local last, count = struct.unpack('<dd', text, entry)
    need = need - count
    if need <= 0 then return last + length - now end
  end
  return -1
end

-- How many calls are open. Those that nobody ended are looked for only where they would be in the way.
local function openCalls(calls, limit)
  local open = redis.call('ZCARD', calls)
  if open < limit then return open end
  redis.call('ZREMRANGEBYSCORE', calls, '-inf', whole(now))
  return redis.call('ZCARD', calls)
end

-- Whether a call that weighs so many tokens keeps to the rules of a subject: what `take` writes and what is used with it, else nil
-- and which rule refuses it, what is used, and in how many ms there is room (-1: never, 0: nobody knows).
local function look(windows, calls, rules, tokens)
  local kinds, lengths, limits, fields, longest = {}, {}, {}, {}, 0
  for kind, length, limit in string.gmatch(rules, '(%a)(%d+)=(%d+)') do
    local i = #kinds + 1
    kinds[i], lengths[i], limits[i] = kind, tonumber(length), tonumber(limit)
    if kind ~= 'c' then fields[#fields + 1] = kind .. length end
    if lengths[i] > longest then longest = lengths[i] end
  end
  local texts = fields[1] and redis.call('HMGET', windows, unpack(fields))
  local used, writes, open, isNew, at = {}, {}, nil, false, 0
  for i, kind in ipairs(kinds) do
    local limit, length = limits[i], lengths[i]
    if kind == 'c' then
      open = openCalls(calls, limit)
      if open >= limit then return nil, i, open, 0 end
      used[i] = open + 1
    else
      at = at + 1
      local n = kind == 't' and tokens or 1
      local sum, begun, text, from = standing(texts[at], length)
      if n > 0 and sum + n > limit then return nil, i, sum, n > limit and -1 or untilLeft(text, from, sum + n - limit, length) end
      used[i] = sum + n
      if n > 0 then
        local window, begins = more(sum, begun, text, from, n, length)
        writes[#writes + 1], writes[#writes + 2] = fields[at], window
        isNew = isNew or begins
      end
    end
  end
  return {writes, open, isNew and longest}, used
end

local function take(windows, calls, found, id, lifeMs)
  local writes, open, longest = found[1], found[2], found[3]
  if writes[1] then redis.call('HSET', windows, unpack(writes)) end
  if longest then redis.call('PEXPIRE', windows, whole(2 * longest)) end
  if not open then return end
  redis.call('ZADD', calls, whole(now + lifeMs), id)
  if open == 0 or redis.call('PTTL', calls) < 1.5 * lifeMs then redis.call('PEXPIRE', calls, whole(2 * lifeMs)) end
end
