-- Redis's time in ms since 1970, requested once per script.
local now
do
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Formats an integer. Redis formats a number from a script as a fraction of 17 digits, which costs three times as much.
local function whole(number)
  return string.format('%d', number)
end
