-- Adds to what a call holds of each of its budgets (budgets.lua).
-- A hold with budgets has `budgets`, "<unit> <limit or -> <key>" for each, `tokens`, its number of tokens, and `uses`, their buckets.
-- The keys are in the payer's shard, like the hold.
local function moveBudgets(text, quota, requests, tokens)
  for unit, key in string.gmatch(text, '(%a) %S+ (%S+)') do
    local change = unit == 'q' and quota or unit == 't' and tokens or requests
    if change ~= 0 and redis.call('HINCRBY', key, 'held', string.format('%d', change)) < 0 then redis.call('HSET', key, 'held', '0') end
  end
end
