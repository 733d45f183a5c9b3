-- What the scripts of limits share. A subject (a user, a token, a group, a model, a channel) has a hash of sliding windows and a
-- sorted set of its open calls by when they are given up (ms since 1970).
-- Rules are a text such as 'r60000=100;t60000=5000;c0=8': r requests, s requests that have not failed, t tokens, each within so many
-- ms; c calls at once. A window is the field of the hash named by its kind and length. In it stand, as doubles: the sum, when the
-- newest entry was begun, then the entries, oldest first: the time of the last thing counted there, and how much was. What comes
-- within a sixtieth of the window shares an entry and leaves with the last of it: in no stretch of time as long as the window is
-- more counted than the limit, and over time no less than 60/61 of it.
local now
do
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- The sum, when the newest entry was begun, and the entries that have not left yet.
local function standing(text, length)
  if not text then return 0, 0, '' end
  local sum, begun = struct.unpack('<dd', text)
  if begun > now + length then return 0, 0, '' end -- written by a clock that was wrong
  local from = 17
  while from <= #text do
    local last, count = struct.unpack('<dd', text, from)
    if last + length > now then break end
    sum, from = sum - count, from + 16
  end
  return sum, begun, string.sub(text, from)
end

-- The window with `n` more, and whether a new entry was begun.
local function more(sum, begun, entries, n, length)
  local head = struct.pack('<d', sum + n)
  if entries ~= '' and now - begun < length / 60 then
    local last, count = struct.unpack('<dd', entries, #entries - 15)
    return head .. struct.pack('<d', begun) .. string.sub(entries, 1, -17) .. struct.pack('<dd', math.max(last, now), count + n), false
  end
  return head .. struct.pack('<d', now) .. entries .. struct.pack('<dd', now, n), true
end

-- The window with `n` less where it was counted at `at`; nil when that has left.
local function less(sum, begun, entries, n, at)
  local place
  for from = #entries - 15, 1, -16 do
    if struct.unpack('<d', entries, from) < at then break end
    place = from
  end
  if not place then return nil end
  local last, count = struct.unpack('<dd', entries, place)
  n = math.min(n, count)
  return struct.pack('<dd', sum - n, begun) .. string.sub(entries, 1, place - 1) .. struct.pack('<dd', last, count - n) .. string.sub(entries, place + 16)
end

-- In how many ms `need` will have left; -1: it never will.
local function untilLeft(entries, need, length)
  for from = 1, #entries, 16 do
    local last, count = struct.unpack('<dd', entries, from)
    need = need - count
    if need <= 0 then return last + length - now end
  end
  return -1
end

-- Whether a call that weighs so many tokens keeps to the rules of a subject: what `take` writes and what is used with it, else nil
-- and which rule refuses it, what is used, and in how many ms there is room (-1: never, 0: nobody knows).
local function look(windows, calls, rules, tokens)
  local all, fields = {}, {}
  for kind, length, limit in string.gmatch(rules, '(%a)(%d+)=(%d+)') do
    all[#all + 1] = {kind, tonumber(length), tonumber(limit)}
    if kind ~= 'c' then fields[#fields + 1] = kind .. length end
  end
  local texts = fields[1] and redis.call('HMGET', windows, unpack(fields))
  local writes, used, atOnce, longest, at = {}, {}, false, nil, 0
  for i, rule in ipairs(all) do
    local kind, length, limit = rule[1], rule[2], rule[3]
    if kind == 'c' then
      redis.call('ZREMRANGEBYSCORE', calls, '-inf', now)
      local open = redis.call('ZCARD', calls)
      if open >= limit then return nil, i, open, 0 end
      used[i], atOnce = open + 1, true
    else
      at = at + 1
      local n = kind == 't' and tokens or 1
      local sum, begun, entries = standing(texts[at], length)
      if n > 0 and sum + n > limit then return nil, i, sum, n > limit and -1 or untilLeft(entries, sum + n - limit, length) end
      used[i] = sum + n
      if n > 0 then
        local text, isNew = more(sum, begun, entries, n, length)
        writes[#writes + 1], writes[#writes + 2] = fields[at], text
        if isNew and length > (longest or 0) then longest = length end
      end
    end
  end
  return {writes, atOnce, longest}, used
end

local function take(windows, calls, found, id, lifeMs)
  if found[1][1] then redis.call('HSET', windows, unpack(found[1])) end
  if found[3] then redis.call('PEXPIRE', windows, math.max(2 * found[3], redis.call('PTTL', windows))) end
  if found[2] then
    redis.call('ZADD', calls, now + lifeMs, id)
    redis.call('PEXPIRE', calls, 2 * lifeMs)
  end
end
