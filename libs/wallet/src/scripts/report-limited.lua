-- Reports an answered call, and ends with it what it took of limits. Behind report.lua and end-leases.lua.
-- KEYS[1..4] and ARGV[1..4] as in report.lua; KEYS and ARGV from the fifth as in end-leases.lua
-- Answers as report.lua. What it took is ended by the report that found the hold open: a repetition ends nothing again.
local reported, wasOpen = report()
if wasOpen then endLeases(4, 5) end
return reported
