-- What the scripts of limits share. A subject (a user, a token, a group, a model, a channel) has a hash of sliding windows and a
-- sorted set of its open calls by when they are given up (ms since 1970). Behind clock.lua.
-- A window is a field of the hash named by its kind and length, such as `r60000`: r requests, s requests that have not failed, t tokens,
-- each within so many ms. In it stand, as doubles: the sum, when the newest entry was begun, then one entry or more, oldest first: the
-- time of the last thing counted there, and how much was. What comes within a sixtieth of the window shares an entry and leaves with the
-- last of it: in no stretch of time as long as the window is more counted than the limit, and over time no less than 60/61 of it.
-- Straight code on purpose: what a call costs here are texts, tables and closures that Lua makes anew.

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

-- The window with `n` more, which make `sum`, and whether a new entry was begun.
local function more(sum, begun, text, from, n, length)
  local newest = #text - 15
  if from <= newest and now - begun < length / 60 then
    local last, count = struct.unpack('<dd', text, newest)
    if last < now then last = now end
    if from == newest then return struct.pack('<dddd', sum, begun, last, count + n), false end
    return struct.pack('<dd', sum, begun) .. string.sub(text, from, newest - 1) .. struct.pack('<dd', last, count + n), false
  end
  if from > newest then return struct.pack('<dddd', sum, now, now, n), true end
  return struct.pack('<dd', sum, now) .. string.sub(text, from) .. struct.pack('<dd', now, n), true
end
