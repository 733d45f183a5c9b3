-- Counts a call against the limits of one subject. Requires count.lua.
-- KEYS[1] hash of its windows, KEYS[2] sorted set of its open calls
-- ARGV[1] tokens that the call may use, ARGV[2] request id, ARGV[3] how long it may be open unless renewed (ms), then the rules
-- {1, now, used, ...}       counted: what is used by each rule; now in ms since 1970
-- {0, rule, used, waitMs}   nothing changed: that rule (from 1) is reached; there is room in `waitMs` (-1 never, 0 unknown)
local counted = {1, now}
local rule, write, forgetAfter, open = look(KEYS[1], KEYS[2], 4, tonumber(ARGV[1]), counted)
if rule then return {0, rule, write, forgetAfter} end
take(KEYS[1], KEYS[2], write, forgetAfter, open, ARGV[2], tonumber(ARGV[3]))
return counted
