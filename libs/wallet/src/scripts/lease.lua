-- Counts a call against the limits of one subject. Behind limits.lua.
-- KEYS[1] hash of its windows, KEYS[2] sorted set of its open calls
-- ARGV[1] rules, ARGV[2] tokens that the call may use, ARGV[3] request id, ARGV[4] how long it may be open unless that is renewed (ms)
-- {1, now, used, ...}       counted: what is used by each rule; now in ms since 1970
-- {0, rule, used, waitMs}   nothing changed: that rule (from 1) is reached; there is room in `waitMs` (-1 never, 0 unknown)
local found, rule, used, waitMs = look(KEYS[1], KEYS[2], ARGV[1], tonumber(ARGV[2]))
if not found then return {0, rule, used, waitMs} end
take(KEYS[1], KEYS[2], found, ARGV[3], tonumber(ARGV[4]))
return {1, now, unpack(rule)}
