-- Holds quota for a call of a user or token with limits. Behind reserve.lua and limits.lua.
-- KEYS[1..4] and ARGV[1..4] as in reserve.lua; of each limited subject KEYS hash of its windows, sorted set of its open calls
-- ARGV[5] tokens that the call may use, ARGV[6] request id, then the rules of each subject
-- {1, amount, now, used, ...}        held and counted: what is used by each rule of each subject; now in ms since 1970
-- {1, amount}                        a repetition: it was counted before
-- {-2, subject, rule, used, waitMs}  nothing changed: that rule of that subject (from 1) is reached; there is room in `waitMs` (-1 never, 0 unknown)
-- else as reserve.lua, nothing counted
local found, usedBy = {}, {}
for i = 1, #ARGV - 6 do
  local used, waitMs
  found[i], usedBy[i], used, waitMs = look(KEYS[2 * i + 3], KEYS[2 * i + 4], ARGV[6 + i], tonumber(ARGV[5]))
  if not found[i] then return heldBefore() or {-2, i, usedBy[i], used, waitMs} end
end

local held, isNew = reserve()
if not isNew then return held end
held[3] = now
for i, used in ipairs(usedBy) do
  take(KEYS[2 * i + 3], KEYS[2 * i + 4], found[i], ARGV[6], tonumber(ARGV[4]))
  for _, count in ipairs(used) do held[#held + 1] = count end
end
return held
