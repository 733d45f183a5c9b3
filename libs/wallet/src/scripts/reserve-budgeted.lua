-- Holds quota for a call with budgets. Requires reserve-budgets.lua, and reserve-limited.lua where the call has limits, too.
-- KEYS[1..4] and ARGV[1..4] as in reserve.lua; then KEYS of limited subjects, then of budgets;
-- from ARGV[5] on the budgets (reserve-budgets.lua), then the limits (reserve-limited.lua)
-- {reply, tokens, uses}: as reserve.lua or reserve-limited.lua; with the tokens held and the buckets, where held
local function budgetedReply(reply, held)
  if held then return {reply, held[3], held[4]} end
  if reply[1] == 1 then return {{1, reply[2]}, reply[3], reply[4]} end -- a repetition, or there are no limits
  return {reply}
end
