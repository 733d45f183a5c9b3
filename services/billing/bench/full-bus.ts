/**
 * What billing costs: charges a bus that is full of events as fast as it can, and prints CPU time of this process per event.
 * Run: node bench/full-bus.ts [events] [users] [models] (engines of its own, removed afterwards)
 */
import { openBus, topics } from '@tollgate/bus';
import { connectDatabase, disconnectDatabase } from '@tollgate/db';
import { startBundledMongo, startRedis, usageEvent } from '@tollgate/testing';
import { openWallet } from '@tollgate/wallet';
import { Redis } from 'ioredis';
import type { BillingMetrics } from '../src/metrics.ts';
import { startSettlement } from '../src/settlement/consumer.ts';

const [events = 50_000, users = 200, models = 5] = process.argv.slice(2).map(Number);
const grant = 1_000_000_000;
const silent = { info() {}, warn() {}, error() {}, debug() {} };

const redisServer = await startRedis();
const store = process.env.MONGODB_URI ? undefined : await startBundledMongo();
await connectDatabase(process.env.MONGODB_URI ?? `${store?.uri}bench`);
const redis = new Redis(redisServer.url, { enableAutoPipelining: true });
const wallet = openWallet({ redis });
const bus = await openBus(process.env.BUS_URL ?? redisServer.url);

const run = Date.now();
await Promise.all(
  Array.from({ length: users }, async (_, i) => {
    await wallet.post({ id: `grant:${run}:${i + 1}`, userId: i + 1, amount: grant, reason: 'bench' });
    await wallet.openToken({ tokenId: i + 1, userId: i + 1, remain: grant });
  }),
);
for (let sent = 0; sent < events; sent += 500) {
  const messages = await Promise.all(
    Array.from({ length: 500 }, async (_, i) => {
      const n = sent + i;
      const call = { userId: 1 + Math.floor(Math.random() * users), tokenUnlimited: false, requestId: `${run}-${n}` };
      const owner = { ...call, tokenId: call.userId };
      await wallet.reserve({ ...owner, amount: 20, deadlineMs: run + 3_600_000 });
      const model = `model-${Math.floor(Math.random() * models)}`;
      const event = usageEvent({ id: call.requestId, userId: call.userId, tokenId: call.userId, model, channelId: 1 + (n % 7) });
      return { key: String(call.userId), json: (await wallet.report(owner, event)).json };
    }),
  );
  await bus.publishEncoded(topics.usageRecorded, messages);
}

let charged = 0;
let batches = 0;
let slice = { cpu: process.cpuUsage(), charged: 0 };
const slices: number[] = [];
const done = Promise.withResolvers<void>();
const metrics: BillingMetrics = {
  settled(batch) {
    charged += batch.charged;
    batches++;
    if (charged - slice.charged >= events / 5) {
      const { user, system } = process.cpuUsage(slice.cpu);
      slices.push((user + system) / (charged - slice.charged));
      slice = { cpu: process.cpuUsage(), charged };
    }
    if (charged >= events) done.resolve();
  },
  swept() {},
  reconciled() {},
};
const startedAt = performance.now();
slice.cpu = process.cpuUsage();
const consumption = await startSettlement({ bus, wallet, logger: silent as never, metrics, logsShown: () => true });
await done.promise;
const seconds = (performance.now() - startedAt) / 1_000;
const [best = 0] = slices.toSorted((a, b) => a - b);
console.log(
  `${events} events, ${users} users, ${batches} batches: CPU us an event, in slices: ${slices.map((us) => us.toFixed(1)).join(' ')}; ` +
    `at best ${Math.round(1e6 / best)} events/s of CPU; ${Math.round(events / seconds)} events/s by the clock`,
);
await consumption.stop();
await bus.close();
await redis.quit();
await disconnectDatabase();
await store?.stop();
await redisServer.stop();
