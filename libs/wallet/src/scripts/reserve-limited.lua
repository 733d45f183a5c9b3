-- Holds quota for a call with limits. Requires reserve.lua and count.lua.
-- KEYS[1..4] and ARGV[1..4] as in reserve.lua; then for each limited subject: hash of its windows, sorted set of its open calls
-- `countLimits(subjects, place)` is the script; from ARGV[place] on: tokens that the call may use, request id, '1' = the last subject is
-- optional, then the rules of each subject
-- {1, amount, now, 0, used, ...}           held and counted: what is used by each rule of each subject; now in ms since 1970
-- {1, amount, now, rule, used, ..., used, waitMs}   the same without the last subject: that rule of it (from 1) is reached
-- {1, amount}                              a repetition: it was counted before
-- {-2, subject, rule, used, waitMs}        nothing changed: that rule of that subject (from 1) is reached; there is room in `waitMs` (-1
-- never, 0 unknown)
-- otherwise as reserve.lua, with nothing counted
local function countLimits(subjects, place)
  local tokens, id, optional = tonumber(ARGV[place]), ARGV[place + 1], ARGV[place + 2]
  place = place + 3
  local counted, writes, forgets, opens = {1, 0, now, 0}, {}, {}, {}
  for i = 1, subjects do
    local key, before = 2 * i + 3, #counted
    local rule, write, forgetAfter, open = look(KEYS[key], KEYS[key + 1], place, tokens, counted)
    if rule then
      if optional ~= '1' or i < subjects then return heldBefore() or {-2, i, rule, write, forgetAfter} end
      for at = #counted, before + 1, -1 do counted[at] = nil end
      counted[4], counted[before + 1], counted[before + 2] = rule, write, forgetAfter
      subjects = subjects - 1
      break
    end
    writes[i], forgets[i], opens[i] = write, forgetAfter, open
    place = place + 3 + 3 * ARGV[place]
  end

  local held, isNew = reserve()
  if not isNew then return held end
  counted[2] = held[2]
  for i = 1, subjects do
    take(KEYS[2 * i + 3], KEYS[2 * i + 4], writes[i], forgets[i], opens[i], id, tonumber(ARGV[4]))
  end
  return counted, held
end
