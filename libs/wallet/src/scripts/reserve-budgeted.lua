-- Holds quota for a call with budgets and limits. Requires reserve-limited.lua.
-- KEYS and ARGV as in reserve.lua, then the KEYS and ARGV of limits (reserve-limited.lua)
-- {reply of reserve-limited.lua, tokens, since, used...}: what the budgets hold, where it is held
local reply, held = countLimits((#KEYS - 4) / 2, limitsAt + count + 1)
if not held and reply[1] == 1 then held, reply = reply, {1, reply[2]} end -- a repetition
if not held then return {reply} end
return {reply, unpack(held, 3)}
