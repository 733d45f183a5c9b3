-- What time it is by Redis, in ms since 1970: asked once a script.
local now
do
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- A whole number as Redis keeps it. Redis itself prints each number that a script hands it as a fraction of 17 digits: three times dearer.
local function whole(number)
  return string.format('%d', number)
end
