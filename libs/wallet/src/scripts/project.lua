-- Stores the database's value of a wallet or token if it is newer.
-- KEYS[1] wallet or token hash
-- ARGV[1] 'balance'|'remain', ARGV[2] its value (quota), ARGV[3] version, ARGV[4] '1' = also when it is not projected yet
-- 1: stored; 0: the existing value is as new, or there is none
local version = redis.call('HGET', KEYS[1], 'version')
if version and tonumber(version) >= tonumber(ARGV[3]) then return 0 end
if not version and ARGV[4] ~= '1' then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2], 'version', ARGV[3])
redis.call('HSETNX', KEYS[1], 'held', 0)
return 1
