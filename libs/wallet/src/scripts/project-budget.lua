-- Stores the database's buckets of a budget. Requires store-buckets.lua.
-- KEYS[1] budget; ARGV: for each bucket its start (ms), what is spent, the version of that, when the bucket leaves (ms)
redis.call('HSETNX', KEYS[1], 'held', 0)
storeBuckets(KEYS[1], 1, #ARGV)
return 1
