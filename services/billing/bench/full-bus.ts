/**
 * Cost of billing: fills a bus, starts the service, and measures its CPU time per event after warm-up. Starts its own datastores;
 * NODE_OPTIONS reach the service.
 * Run: node bench/full-bus.ts [events] [users] [models] [batch].
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openBus, topics } from '@tollgate/bus';
import { connectDatabase, disconnectDatabase, rows } from '@tollgate/db';
import { startBundledMongo, startRedis, usageEvent } from '@tollgate/testing';
import { openWallet } from '@tollgate/wallet';
import { Redis } from 'ioredis';

const [events = 100_000, users = 200, models = 5, batch = 500] = process.argv.slice(2).map(Number);
const grant = 1_000_000_000;
const group = 'billing.settlement';
const ticksPerSecond = 100;

const redisServer = await startRedis();
const store = process.env.MONGODB_URI ? undefined : await startBundledMongo();
const mongodbUri = process.env.MONGODB_URI ?? `${store?.uri}bench`;
await connectDatabase(mongodbUri);
const redis = new Redis(redisServer.url, { enableAutoPipelining: true });
const wallet = openWallet({ redis });
const busUrl = process.env.BUS_URL ?? redisServer.url;
const bus = await openBus(busUrl);

await fillBus();
const env = {
  ...process.env,
  MONGODB_URI: mongodbUri,
  REDIS_URL: redisServer.url,
  BUS_URL: busUrl,
  BILLING_BATCH: String(batch),
  LOG_LEVEL: 'warn',
};
const billing = spawn(process.execPath, [join(import.meta.dirname, '../src/main.ts')], { env, stdio: 'inherit' });

const points: { cpu: number; atMs: number; left: number }[] = [];
for (let left = events; left > 0; ) {
  await delay(250);
  left = await bus.lag(topics.usageRecorded, group);
  points.push({ cpu: cpuSeconds(billing.pid as number), atMs: performance.now(), left });
}
report();
billing.kill('SIGTERM');
const charged = await rows.usageLogs().countDocuments({ type: 2 });
if (charged !== events) throw new Error(`${charged} of ${events} events were charged`);
await bus.close();
await redis.quit();
await disconnectDatabase();
await store?.stop();
await redisServer.stop();

async function fillBus(): Promise<void> {
  const run = Date.now();
  const ids = Array.from({ length: users }, (_, i) => i + 1);
  await Promise.all(ids.map((id) => wallet.post({ id: `grant:${id}`, userId: id, amount: grant, reason: 'bench' })));
  await Promise.all(ids.map((id) => wallet.openToken({ tokenId: id, userId: id, remain: grant })));
  for (let sent = 0; sent < events; sent += 500) {
    const answering = Array.from({ length: 500 }, async (_, i) => {
      const n = sent + i;
      const userId = 1 + Math.floor(Math.random() * users);
      const owner = { userId, tokenId: userId, tokenUnlimited: false, requestId: `${run}-${n}` };
      await wallet.reserve({ ...owner, amount: 20, deadlineMs: run + 3_600_000 });
      const model = `model-${Math.floor(Math.random() * models)}`;
      const event = usageEvent({ id: owner.requestId, userId, tokenId: userId, model, channelId: 1 + (n % 7) });
      return { key: String(userId), json: (await wallet.report(owner, event)).json };
    });
    await bus.publishEncoded(topics.usageRecorded, await Promise.all(answering));
  }
}

/** User and system time of all threads. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Measures after the first third of the events, which includes start and warm-up. */
function report(): void {
  const warm = points.filter(({ left }) => left < (events * 2) / 3);
  const [first, last] = [warm[0], warm.at(-1)];
  if (!first || !last || first === last) throw new Error('too few events to measure');
  const done = first.left - last.left;
  const us = ((last.cpu - first.cpu) * 1e6) / done;
  const perSecond = (done * 1_000) / (last.atMs - first.atMs);
  process.send?.({ microsPerEvent: us, perSecond });
  console.log(
    `${events} events of ${users} users, batches of ${batch}: ${us.toFixed(1)} us of CPU an event, so ${Math.round(1e6 / us)} a second on a core of its own; ` +
      `${Math.round(perSecond)} a second here, with the engines on the same machine`,
  );
}
