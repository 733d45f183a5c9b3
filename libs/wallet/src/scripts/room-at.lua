-- When what is charged or reported of a budget, `spent`, is at most `room`, as reserve.lua says it: buckets leave one after another.
-- Requires buckets.lua.
local function roomAt(field, spent, room)
  if spent <= room then return 0 end
  if room < 0 then return -1 end
  local leaving, buckets = {}, redis.call('HGETALL', bucketsOf(field))
  for at = 1, #buckets, 2 do
    local amount, leaves = string.match(buckets[at + 1], '^(%S+) %S+ (%S+)$')
    leaving[#leaving + 1] = {tonumber(leaves), tonumber(amount)}
  end
  table.sort(leaving, function(a, b) return a[1] < b[1] end)
  for _, bucket in ipairs(leaving) do
    spent = spent - bucket[2]
    if spent <= room then return bucket[1] end
  end
  return -2
end
