/**
 * Cost of limits and budgets per call: CPU time of Redis and of this process for reserve and report, the minimum of several interleaved slices. Starts
 * its own Redis and database.
 * `node libs/wallet/bench/limits.ts [calls per slice] [names of variants, with commas]`, from the root.
 */
import { limitNames } from '@tollgate/contracts';
import { connectDatabase, disconnectDatabase } from '@tollgate/db';
import { engines, freshId, usageEvent } from '@tollgate/testing';
import { Redis } from 'ioredis';
import {
  type CallWithBudgets,
  type HoldOwner,
  type LimitRules,
  limitRules,
  openWallet,
  type ReserveRequest,
  type Subject,
} from '../src/index.ts';

const calls = Number(process.argv[2] ?? 5_000);
const slices = 6;
const atOnce = 50;
const { mongodbUri, redisUrl } = await engines();
await connectDatabase(mongodbUri());
const redis = new Redis(await redisUrl(), { enableAutoPipelining: true });
const wallet = openWallet({ redis });

const of = (...names: (typeof limitNames)[number][]) => limitRules(Object.fromEntries(names.map((name) => [name, 1e12])));
const minutes = of('requests_per_minute', 'tokens_per_minute');
const all = of(...limitNames);
const subjects: Record<string, (owner: HoldOwner) => Subject> = {
  user: ({ userId }) => ({ kind: 'user', userId }),
  token: ({ userId, tokenId }) => ({ kind: 'token', userId, tokenId }),
  group: () => ({ kind: 'group', name: 'bench' }),
  model: () => ({ kind: 'model', name: 'bench' }),
  channel: () => ({ kind: 'channel', name: 'bench' }),
};
type LimitsOf = (owner: HoldOwner) => ReserveRequest['limits'];
const budgets = (count: number): CallWithBudgets => ({
  rules: (['5h', 'month', 'day', '7d', 'total'] as const).slice(0, count).map((window) => ({
    id: `bench-${window}`,
    unit: 'quota',
    limit: 1e12,
    window,
    timeZone: 'UTC',
  })),
  tokens: 500,
  minimumTokens: 100,
});
const limited = (rules: LimitRules | undefined, ...names: string[]): LimitsOf => {
  if (rules === undefined) throw new Error('nothing is limited');
  return (owner) => ({
    subjects: names.map((name) => ({ subject: (subjects[name] as (of: HoldOwner) => Subject)(owner), rules })),
    tokens: 500,
  });
};
const budgeted: Record<string, CallWithBudgets> = { 'one budget': budgets(1), 'five budgets': budgets(5) };
const only = process.argv[3]?.split(',');
const variants: Record<string, LimitsOf> = {
  'no limits': () => undefined,
  'one budget': () => undefined,
  'five budgets': () => undefined,
  'requests a minute of the user': limited(of('requests_per_minute'), 'user'),
  'tokens a minute of the user': limited(of('tokens_per_minute'), 'user'),
  'calls at once of the user': limited(of('concurrent'), 'user'),
  'requests a minute of the channel': limited(of('requests_per_minute'), 'channel'),
  'requests and tokens a minute of the user': limited(minutes, 'user'),
  'requests and tokens a minute of user and token': limited(minutes, 'user', 'token'),
  'all five of user and token': limited(all, 'user', 'token'),
  'all five of all five': limited(all, ...Object.keys(subjects)),
};

/** CPU time of Redis in us, as Redis reports it. */
async function redisCpu(): Promise<number> {
  const info = await redis.info('cpu');
  const seconds = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(info)?.[1]);
  return (seconds('used_cpu_sys') + seconds('used_cpu_user')) * 1e6;
}

async function slice(name: string, limitsOf: LimitsOf): Promise<{ redis: number; own: number }> {
  const owner = { userId: freshId(), tokenId: freshId(), tokenUnlimited: true };
  await wallet.post({ id: `bench:${owner.userId}`, userId: owner.userId, amount: 1e12, reason: 'bench' });
  const one = async (requestId: string) => {
    const call: HoldOwner = { ...owner, requestId };
    const reserved = await wallet.reserve({
      ...call,
      amount: 100,
      deadlineMs: Date.now() + 60_000,
      limits: limitsOf(call),
      budgeted: budgeted[name],
    });
    if (!reserved.ok) throw new Error('refused');
    const ending = 'leases' in reserved ? { leases: reserved.leases, end: { how: 'reported', tokens: 300 } as const } : undefined;
    const heldBudgets = 'budgets' in reserved ? reserved.budgets : undefined;
    await wallet.report({ ...call, heldBudgets }, usageEvent({ userId: call.userId, id: requestId, quota: 20 }), ending);
  };
  await one('first');
  const [before, own] = [await redisCpu(), process.cpuUsage()];
  let left = calls;
  const caller = async () => {
    while (left > 0) await one(`call-${left--}`);
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  const { user, system } = process.cpuUsage(own);
  const result = { redis: ((await redisCpu()) - before) / calls, own: (user + system) / calls };
  await redis.flushall();
  return result;
}

const least = new Map<string, { redis: number; own: number }>();
for (let round = 0; round < slices; round += 1) {
  for (const [name, limitsOf] of Object.entries(variants).filter(([name]) => only?.includes(name) ?? true)) {
    const { redis: inRedis, own } = await slice(name, limitsOf);
    const before = least.get(name) ?? { redis: Number.POSITIVE_INFINITY, own: Number.POSITIVE_INFINITY };
    if (round > 0) least.set(name, { redis: Math.min(before.redis, inRedis), own: Math.min(before.own, own) });
  }
}
for (const [name, { redis: inRedis, own }] of least)
  console.log(`${name}: Redis ${inRedis.toFixed(1)} us, here ${own.toFixed(1)} us a call`);
await redis.quit();
await disconnectDatabase();
process.exit(0);
