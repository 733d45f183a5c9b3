-- Shared code of the limit scripts. Requires clock.lua. A subject (a user, a token, a group, a model, a channel) has a hash of sliding
-- windows and a sorted set of its open calls by expiry (ms since 1970).
-- A window is a field of the hash named by kind and length, such as `r60000`: r requests, s requests that did not fail, t tokens, each
-- within that many ms. Its value consists of doubles: the sum, when the newest entry began, then the entries, oldest first, each with the
-- time of its last count and its amount. Counts within 1/60 of the window share an entry and leave together with its last count: no
-- stretch of the window's length exceeds the limit, and over time at least 60/61 of it is granted.
-- The code is deliberately straight: strings, tables and closures that Lua creates are the cost of a call here.

-- The sum, when the newest entry began, the window's value, and the position in it of the oldest entry that has not left yet.
local function readWindow(text, length)
  if not text then return 0, 0, '', 1 end
  local sum, begun, last, count = struct.unpack('<dddd', text)
  if begun > now + length then return 0, 0, '', 1 end -- written under a wrong clock
  local from = 17
  while last + length <= now do
    sum, from = sum - count, from + 16
    if from > #text then break end
    last, count = struct.unpack('<dd', text, from)
  end
  return sum, begun, text, from
end

-- The window with `n` more, which add up to `sum`, and whether a new entry began.
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
