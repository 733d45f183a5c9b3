import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { Agent } from 'undici';
import { inDatabase, type Site } from './site.ts';
import { oneCall } from './traffic.ts';

const hourMs = 3_600_000;

/** A caller who has made no call yet, so that their answers and charges can be moved without touching others'. */
export interface NewCaller {
  userId: number;
  apiKey: string;
}

export async function newCaller({ installation: { address, console } }: Site): Promise<NewCaller> {
  const login = { username: 'unbilled', password: 'unbilled-password' };
  await console('/api/user/', { method: 'POST', body: login });
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  const ask = async <T>(path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(address + path, { method: body ? 'POST' : 'GET', headers, body: body ? JSON.stringify(body) : null });
    headers.cookie ??= answer.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    return ((await answer.json()) as { data: T }).data;
  };
  const { id } = await ask<{ id: number }>('/api/user/login', login);
  headers['new-api-user'] = String(id);
  await console('/api/user/', { method: 'PUT', body: { id, add_quota: 1_000_000 } });
  await ask('/api/token/', { name: 'unbilled', unlimited_quota: true });
  const { items } = await ask<{ items: { key: string }[] }>('/api/token/?p=1&page_size=10');
  return { userId: id, apiKey: `sk-${items[0]?.key}` };
}

/** Makes a call and waits until Redis has the relay's count of its answer. Returns its request ID. */
export async function countedCall(site: Site, redis: Redis, caller: NewCaller): Promise<string> {
  const agent = new Agent();
  const before = await answersOf(redis, caller);
  const { got, requestId } = await oneCall(site, agent, { mark: 'unbilled', isStream: false, apiKey: caller.apiKey });
  await agent.destroy();
  expect(got).to.equal('whole');
  await eventually(async () => expect(await answersOf(redis, caller)).to.equal(before + 1), { timeoutMs: 30_000 });
  return requestId;
}

export function chargedCalls(site: Site, { userId }: NewCaller): Promise<number> {
  return inDatabase(site, async (database) => {
    const rows = await database.collection<{ requests: number }>('usage_hourly').find({ userId }).toArray();
    return rows.reduce((sum, { requests }) => sum + requests, 0);
  });
}

/** What a lost disk does to a bill: the entry on the bus and the hold that has it are gone. */
export async function loseBill(redis: Redis, { userId }: NewCaller, requestId: string): Promise<void> {
  const lost = { entries: 0, holds: 0 };
  for (const stream of await keysOf(redis, 'bus:{usage.recorded}:*', 'stream')) {
    for (const [id, fields] of await redis.xrange(stream, '-', '+'))
      if (fields.join().includes(requestId)) lost.entries += await redis.xdel(stream, id);
  }
  for (const hold of await keysOf(redis, `*:hold:${userId}:${requestId}`, 'hash')) {
    await redis.zrem(hold.replace(/:hold:.*/, ':holds'), hold);
    lost.holds += await redis.del(hold);
  }
  expect(lost, 'the bill was there').to.deep.equal({ entries: 1, holds: 1 });
}

/** As if an hour had passed for one caller: reconcile compares closed hours only. */
export async function letAnHourPass(site: Site, redis: Redis, { userId }: NewCaller): Promise<void> {
  for (const key of await keysOf(redis, 'answers:*', 'hash')) {
    const counts = await fieldsOf(redis, key, userId);
    if (counts.length === 0) continue;
    await redis.hset(`answers:${Number(key.slice('answers:'.length)) - hourMs}`, Object.fromEntries(counts));
    await redis.hdel(key, ...counts.map(([field]) => field));
  }
  await inDatabase(site, async (database) => {
    const hours = database.collection<{ hour: Date; userId: number }>('usage_hourly');
    for (const { _id, hour } of await hours.find({ userId }).toArray())
      await hours.updateOne({ _id }, { $set: { hour: new Date(hour.getTime() - hourMs) } });
  });
}

async function answersOf(redis: Redis, { userId }: NewCaller): Promise<number> {
  const keys = await keysOf(redis, 'answers:*', 'hash');
  const counts = await Promise.all(keys.map((key) => fieldsOf(redis, key, userId)));
  return counts.flat().reduce((sum, [, count]) => sum + Number(count), 0);
}

async function fieldsOf(redis: Redis, key: string, userId: number): Promise<[string, string][]> {
  return Object.entries(await redis.hgetall(key)).filter(([field]) => field.startsWith(`${userId}:`));
}

async function keysOf(redis: Redis, pattern: string, type: string): Promise<string[]> {
  const keys = await redis.keys(pattern);
  const types = await Promise.all(keys.map((key) => redis.type(key)));
  return keys.filter((_, at) => types[at] === type);
}
