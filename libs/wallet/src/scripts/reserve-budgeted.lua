-- Holds quota for a call with budgets, and with limits where there are any. Requires reserve-budgets.lua and reserve-limited.lua.
-- KEYS[1..4] and ARGV[1..4] as in reserve.lua; then KEYS of limited subjects, then of budgets;
-- from ARGV[5] on the budgets (reserve-budgets.lua), then the limits (reserve-limited.lua)
-- {reply, tokens, uses}: as reserve-limited.lua; with the tokens held and the buckets, where held
local reply, held = countLimits((#KEYS - 4 - budgetCount) / 2, 9 + budgetArgs * budgetCount)
if held then return {reply, held[3], held[4]} end
if reply[1] == 1 then return {{1, reply[2]}, reply[3], reply[4]} end -- a repetition
return {reply}
