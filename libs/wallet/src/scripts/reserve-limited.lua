-- Holds quota for a call of a user or token with limits: reserve.lua, as the function `hold`, behind limits.lua.
-- KEYS[1..4] as there, KEYS[5] hash of the user's windows, KEYS[6] sorted set of his open calls, KEYS[7] and KEYS[8] the token's
-- ARGV[1..4] as there, ARGV[5] rules of the user, ARGV[6] of the token ('' = none), ARGV[7] tokens that the call may use, ARGV[8] request id
-- {1, amount, now, used, ...}                held and counted: what is used by each rule of the user, then of the token; now in ms since 1970
-- {1, amount}                                a repetition: it was counted before
-- {-2, 'user'|'token', rule, used, waitMs}   nothing changed: that rule (from 1) is reached; there is room in `waitMs` (-1 never, 0 unknown)
-- else as reserve.lua, nothing counted
if redis.call('EXISTS', KEYS[3]) == 1 then return hold() end

local tokens = tonumber(ARGV[7])
local ofUser, usedByUser, used, waitMs = look(KEYS[5], KEYS[6], ARGV[5], tokens)
if not ofUser then return {-2, 'user', usedByUser, used, waitMs} end
local ofToken, usedByToken
ofToken, usedByToken, used, waitMs = look(KEYS[7], KEYS[8], ARGV[6], tokens)
if not ofToken then return {-2, 'token', usedByToken, used, waitMs} end

local held = hold()
if held[1] ~= 1 then return held end
take(KEYS[5], KEYS[6], ofUser, ARGV[8], tonumber(ARGV[4]))
take(KEYS[7], KEYS[8], ofToken, ARGV[8], tonumber(ARGV[4]))
held[3] = now
for _, count in ipairs(usedByUser) do held[#held + 1] = count end
for _, count in ipairs(usedByToken) do held[#held + 1] = count end
return held
