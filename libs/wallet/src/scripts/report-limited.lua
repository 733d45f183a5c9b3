-- Reports an answered call and ends its leases. Requires report.lua and end-leases.lua.
-- KEYS[1..4] and ARGV[1..6] as in report.lua; the rest as in end-leases.lua
-- Replies as report.lua. Leases are ended only by the report that found the hold open, so a repetition does not end them again.
local reported, wasOpen = report()
if wasOpen then endLeases(4, 7) end
return reported
