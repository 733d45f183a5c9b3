import type { Redis } from 'ioredis';

/*
 * Keys of a topic share the hash tag {<topic>}, so that each script finds all of them on one node:
 *   bus:{t}:<p>           stream of partition p; fields e (epoch), k (key), v (JSON)
 *   bus:{t}:partitions    how many partitions the topic has; fixed when it is first used
 *   bus:{t}:births        hash p -> random id of the stream's creation
 *   bus:{t}:published     hash p -> messages ever added since its creation
 *   bus:{t}:groups        set of the groups that read the topic
 *   bus:{t}:g:<group>     hash: offset:<p> last handled id, done:<p> how many, owner:<p> member, until:<p> ms, fence:<p> number
 *   bus:{t}:m:<group>     sorted set of the group's members by when they were last seen
 * Every script takes the prefix 'bus:{t}:' as KEYS[1].
 */

/**
 * run(): identifies this run of the server. A crash may lose the end of the append-only file, and ids may repeat if the clock also went
 * back, so no position of one run is trusted in the next.
 * born(): creates a missing stream (new or lost) and deletes the groups' positions in the old one.
 */
const library = `
local tag = KEYS[1]
local function run() return redis.call('INFO', 'server'):match('run_id:(%w+)'):sub(1, 8) end
local function born(p, fresh)
  if redis.call('EXISTS', tag .. p) == 1 then return end
  redis.call('HSET', tag .. 'births', p, fresh)
  redis.call('HDEL', tag .. 'published', p)
  for _, group in ipairs(redis.call('SMEMBERS', tag .. 'groups')) do
    redis.call('HDEL', tag .. 'g:' .. group, 'offset:' .. p, 'done:' .. p)
  end
  redis.call('XADD', tag .. p, '*', 'k', '')
  redis.call('XTRIM', tag .. p, 'MAXLEN', 0)
end
local function owns(group, member, fence, p)
  local known = redis.call('HMGET', tag .. 'g:' .. group, 'owner:' .. p, 'fence:' .. p)
  return known[1] == member and known[2] == fence
end`;

/**
 * Adds messages to one partition. Each entry carries its epoch, so its coordinates never change.
 * ARGV: 1 partition, 2 a random id of 8 characters for a new stream, then key, value, key, value ...
 * Returns the number added.
 */
const add = `${library}
local p = ARGV[1]
born(p, ARGV[2])
local epoch = redis.call('HGET', tag .. 'births', p) .. run()
for i = 3, #ARGV, 2 do redis.call('XADD', tag .. p, '*', 'e', epoch, 'k', ARGV[i], 'v', ARGV[i + 1]) end
local count = (#ARGV - 2) / 2
redis.call('HINCRBY', tag .. 'published', p, count)
return count`;

/**
 * One heartbeat of a member: finds live members, renews its leases and takes free partitions up to its fair share.
 * ARGV: 1 group, 2 member, 3 lease in ms, 4 partitions, 5 a random id of 8 characters for new streams, 6 how the ids of killed members
 * begin, whose partitions are free at once; '' for none.
 * Returns { run, share, then for each owned partition: partition, fence, birth, last handled id, lag }.
 */
const tick = `${library}
local group, member, lease, partitions = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local state, members = tag .. 'g:' .. group, tag .. 'm:' .. group
redis.call('SADD', tag .. 'groups', group)
redis.call('ZADD', members, now, member)
local function isKilled(id) return ARGV[6] ~= '' and id ~= member and id:sub(1, #ARGV[6]) == ARGV[6] end
for _, id in ipairs(redis.call('ZRANGE', members, 0, -1)) do
  if isKilled(id) then redis.call('ZREM', members, id) end
end
redis.call('ZREMRANGEBYSCORE', members, '-inf', now - lease)
redis.call('ZREMRANGEBYSCORE', members, now + lease, '+inf') -- the clock went back
local alive = redis.call('ZRANGE', members, 0, -1)
table.sort(alive)
local place = 0
for i, id in ipairs(alive) do if id == member then place = i - 1 end end
local share = math.floor(partitions / #alive)
if place < partitions % #alive then share = share + 1 end
local free, owned = {}, {}
for p = 0, partitions - 1 do
  local held = redis.call('HMGET', state, 'owner:' .. p, 'until:' .. p)
  local expires = tonumber(held[2] or 0)
  if held[1] == member then
    owned[#owned + 1] = p
  elseif not held[1] or isKilled(held[1]) or expires < now or expires > now + 2 * lease then
    free[#free + 1] = p
  end
end
for _, p in ipairs(free) do
  if #owned >= share then break end
  redis.call('HINCRBY', state, 'fence:' .. p, 1)
  owned[#owned + 1] = p
end
local answer = { run(), share }
for _, p in ipairs(owned) do
  redis.call('HSET', state, 'owner:' .. p, member, 'until:' .. p, now + lease)
  born(p, ARGV[5])
  local published = tonumber(redis.call('HGET', tag .. 'published', p) or 0)
  redis.call('HSETNX', state, 'done:' .. p, published - redis.call('XLEN', tag .. p)) -- what is gone is nothing to do for a new group
  local known = redis.call('HMGET', state, 'fence:' .. p, 'offset:' .. p, 'done:' .. p)
  local lag = published - tonumber(known[3])
  for _, item in ipairs({ p, known[1], redis.call('HGET', tag .. 'births', p), known[2] or '0-0', lag }) do answer[#answer + 1] = item end
end
return answer`;

/**
 * Commits one partition up to an id and deletes entries that every group has handled.
 * ARGV: 1 group, 2 member, 3 fence, 4 partition, 5 birth, 6 run, 7 last handled id, 8 number handled.
 * Returns 1; 0 without a change when another member owns the partition, or the stream or the server run is another one.
 */
const commit = `${library}
local group, p, id = ARGV[1], ARGV[4], ARGV[7]
if not owns(group, ARGV[2], ARGV[3], p) then return 0 end
if redis.call('HGET', tag .. 'births', p) ~= ARGV[5] or run() ~= ARGV[6] then return 0 end
redis.call('HSET', tag .. 'g:' .. group, 'offset:' .. p, id)
redis.call('HINCRBY', tag .. 'g:' .. group, 'done:' .. p, ARGV[8])
local function before(a, b)
  local aTime, aCount = a:match('(%d+)-(%d+)')
  local bTime, bCount = b:match('(%d+)-(%d+)')
  if aTime ~= bTime then return tonumber(aTime) < tonumber(bTime) end
  return tonumber(aCount) < tonumber(bCount)
end
local least = id
for _, other in ipairs(redis.call('SMEMBERS', tag .. 'groups')) do
  local offset = redis.call('HGET', tag .. 'g:' .. other, 'offset:' .. p)
  if not offset then return 1 end
  if before(offset, least) then least = offset end
end
redis.call('XTRIM', tag .. p, 'MINID', '=', least)
redis.call('XDEL', tag .. p, least)
return 1`;

/**
 * Releases a partition.
 * ARGV: 1 group, 2 member, 3 fence, 4 partition. Returns 1, or 0 when this member did not own it.
 */
const release = `${library}
if not owns(ARGV[1], ARGV[2], ARGV[3], ARGV[4]) then return 0 end
redis.call('HDEL', tag .. 'g:' .. ARGV[1], 'owner:' .. ARGV[4], 'until:' .. ARGV[4])
return 1`;

/**
 * Counts the unhandled entries of a group.
 * ARGV: 1 group. Returns the number over all partitions.
 */
const lag = `
local sum = 0
local published = redis.call('HGETALL', KEYS[1] .. 'published')
for i = 1, #published, 2 do
  local p = published[i]
  local done = redis.call('HGET', KEYS[1] .. 'g:' .. ARGV[1], 'done:' .. p)
  sum = sum + (done and published[i + 1] - done or redis.call('XLEN', KEYS[1] .. p))
end
return sum`;

/** The bus's scripts as ioredis commands. */
export interface BusCommands {
  busAdd(tag: string, partition: number, freshBirth: string, ...keysAndValues: string[]): Promise<number>;
  busTick(
    tag: string,
    group: string,
    member: string,
    leaseMs: number,
    partitions: number,
    freshBirth: string,
    killed: string,
  ): Promise<(string | number)[]>;
  busCommit(tag: string, group: string, member: string, fence: string, ...rest: [number, string, string, string, number]): Promise<number>;
  busRelease(tag: string, group: string, member: string, fence: string, partition: number): Promise<number>;
  busLag(tag: string, group: string): Promise<number>;
}
export type BusRedis = Redis & BusCommands;

/** Adds the bus's commands to a client. */
export function withBusCommands(redis: Redis): BusRedis {
  const scripts = { busAdd: add, busTick: tick, busCommit: commit, busRelease: release, busLag: lag };
  for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(name, { numberOfKeys: 1, lua });
  return redis as BusRedis;
}
