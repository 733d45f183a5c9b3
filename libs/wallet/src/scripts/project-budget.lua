-- Stores the database's buckets of a budget, and forgets some idle budgets of a payer that has many: most are of runs that are over.
-- Requires store-buckets.lua.
-- KEYS[1] wallet hash
-- ARGV[1] field of the budget; then for each bucket its start (ms), what is spent, the version of that, when the bucket leaves (ms)
-- 1: done
local manyFields, lookedAt = 200, 20
if redis.call('HLEN', KEYS[1]) > manyFields then
  local found = redis.call('HRANDFIELD', KEYS[1], lookedAt, 'WITHVALUES')
  for i = 1, #found, 2 do
    if string.find(found[i], '^[qrt]:') and found[i] ~= ARGV[1] then
      local _, reported, held = struct.unpack('<ddddd', found[i + 1])
      if reported == 0 and held == 0 then redis.call('HDEL', KEYS[1], found[i]) end
    end
  end
end
storeBuckets(ARGV[1], 2, #ARGV)
return 1
