/** Loads usage logs into a bundled store of its own process and prints what lists, dashboard, memory and start-up cost. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';

const rows = Number(process.argv[2] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'bundled-store-'));
const startAt = Date.UTC(2026, 0, 1);
const models = Array.from({ length: 40 }, (_, i) => `model-${i}`);
const pick = (n: number) => Math.floor(Math.random() * n);

async function start() {
  const began = performance.now();
  const child = fork(join(import.meta.dirname, '../src/main.ts'), {
    env: { ...process.env, EMBEDDED_MONGO_PATH: folder, EMBEDDED_MONGO_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const uri = /mongodb:\/\/\S+/.exec(line.toString())?.[0] as string;
  const client = await mongoose.mongo.MongoClient.connect(uri);
  await client.db('bench').command({ ping: 1 });
  return { child, client, db: client.db('bench'), startMs: performance.now() - began };
}

/** CPU time of a process so far, in ms. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') as string[];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function rssMb(pid: number, field = 'VmRSS'): number {
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

function logOf(i: number) {
  const user = pick(1000);
  return {
    _id: `20260101${String(i).padStart(12, '0')}${pick(1e9).toString(36)}`,
    type: 2,
    user,
    username: `user-${user}`,
    token: user * 3 + pick(3),
    tokenName: 'default',
    channel: pick(20),
    channelName: 'main',
    model: models[pick(pick(40) + 1)] as string,
    group: 'default',
    at: new Date(startAt + i * 2000),
    quota: pick(5000),
    uncollected: 0,
    promptTokens: pick(4000),
    completionTokens: pick(1000),
    useTimeMs: pick(20000),
    isStream: pick(2) === 1,
    ip: '10.0.0.1',
    endReason: 'stop',
    usageSource: 'upstream',
    usage: { textInput: pick(4000), cachedInput: 0, textOutput: pick(1000), reasoningOutput: 0 },
    price: { modelRatio: 1.25, completionRatio: 4, groupRatio: 1, version: 3 },
    coordinates: { epoch: 'kafka:abc:usage.recorded', partition: pick(8), offset: String(i).padStart(20, '0') },
    content: '',
  };
}

type Running = Awaited<ReturnType<typeof start>>;

async function load({ db, child }: Running) {
  const logs = db.collection<{ _id: string }>('usage_logs');
  await logs.createIndexes([
    { key: { user: 1, at: -1 } },
    { key: { at: -1 } },
    { key: { channel: 1, at: -1 } },
    { key: { model: 1, at: -1 } },
    { key: { token: 1, at: -1 } },
    { key: { username: 1, at: -1 } },
  ]);
  const [cpu, began] = [cpuMs(child.pid as number), performance.now()];
  for (let i = 0; i < rows; i += 500) {
    await logs.insertMany(
      Array.from({ length: 500 }, (_, j) => logOf(i + j)),
      { ordered: false },
    );
    if ((i / 500) % 400 === 399)
      console.log(`  ${i + 500} rows, ${Math.round(performance.now() - began)} ms, rss ${Math.round(rssMb(child.pid as number))} MB`);
  }
  const wallMs = performance.now() - began;
  console.log(
    `insert, batches of 500, 6 indexes: ${(((cpuMs(child.pid as number) - cpu) * 1000) / rows).toFixed(1)} us CPU a document in the store, ${((wallMs * 1000) / rows).toFixed(1)} us wall with the client`,
  );
  const hourly = db.collection('usage_hourly');
  await hourly.createIndex({ hour: 1 });
  for (let i = 0; i < 20_000; i += 1000) {
    await hourly.insertMany(
      Array.from({ length: 1000 }, (_, j) => ({
        hour: new Date(startAt + Math.floor((i + j) / 120) * 3_600_000),
        user: pick(1000),
        model: models[pick(40)],
        channel: pick(20),
        token: pick(3000),
        group: 'default',
        count: pick(100),
        quota: pick(1e6),
        promptTokens: pick(1e5),
        completionTokens: pick(1e5),
      })),
    );
  }
}

async function timed(name: string, times: number, run: () => Promise<unknown>) {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const began = performance.now();
    await run();
    took.push(performance.now() - began);
  }
  took.sort((a, b) => a - b);
  const at = (share: number) => (took[Math.min(took.length - 1, Math.floor(took.length * share))] as number).toFixed(1);
  console.log(`${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms (${times} runs)`);
}

async function reads({ db }: Running) {
  const logs = db.collection('usage_logs');
  const page = (filter: object, skip = 0) => logs.find(filter).sort({ at: -1 }).skip(skip).limit(20).toArray();
  const day = () => {
    const from = new Date(startAt + pick(rows) * 2000);
    return { $gte: from, $lt: new Date(from.getTime() + 86_400_000) };
  };
  await timed('list, all, first page', 100, () => page({}));
  await timed('list, all, page 500', 50, () => page({}, 10_000));
  await timed('list, one day', 100, () => page({ at: day() }));
  await timed('list, user', 100, () => page({ user: pick(1000) }));
  await timed('list, user and day', 100, () => page({ user: pick(1000), at: day() }));
  await timed('list, channel', 100, () => page({ channel: pick(20) }));
  await timed('list, model', 100, () => page({ model: models[pick(40)] }));
  await timed('list, token', 100, () => page({ token: pick(3000) }));
  await timed('list, user and model', 100, () => page({ user: pick(1000), model: models[pick(40)] }));
  await timed('list, channel and model and day', 100, () => page({ channel: pick(20), model: models[pick(40)], at: day() }));
  await timed('list, type and group (no index)', 50, () => page({ type: 2, group: 'default' }));
  await timed('search, user name', 100, () => page({ username: `user-${pick(1000)}` }));
  await timed('search, user name prefix', 50, () => page({ username: new RegExp(`^user-${pick(90) + 10}`) }));
  await timed('count of one user', 50, () => logs.countDocuments({ user: pick(1000) }));
  await timed('count of one channel, capped at 10 000', 50, () => logs.countDocuments({ channel: pick(20) }, { limit: 10_000 }));
  await timed('count of all (estimated)', 20, () => logs.estimatedDocumentCount());
  const hourly = db.collection('usage_hourly');
  const sums = { count: { $sum: '$count' }, quota: { $sum: '$quota' }, promptTokens: { $sum: '$promptTokens' } };
  await timed('dashboard, 20 000 roll-up rows by model and hour', 30, () =>
    hourly.aggregate([{ $group: { _id: { model: '$model', hour: '$hour' }, ...sums } }]).toArray(),
  );
  await timed('dashboard, 20 000 roll-up rows by model', 30, () =>
    hourly
      .aggregate([{ $match: { hour: { $gte: new Date(startAt) } } }, { $group: { _id: '$model', ...sums } }, { $sort: { quota: -1 } }])
      .toArray(),
  );
  await timed('dashboard, 20 000 roll-up rows by day ($dateTrunc)', 10, () =>
    hourly.aggregate([{ $group: { _id: { $dateTrunc: { date: '$hour', unit: 'day' } }, ...sums } }]).toArray(),
  );
}

async function updates({ db, child }: Running) {
  const wallets = db.collection<{ _id: number }>('wallets');
  await wallets.insertMany(
    Array.from({ length: 1000 }, (_, i) => ({
      _id: i,
      balance: 1e9,
      usedQuota: 0,
      requests: 0,
      version: 0,
      marks: { e_0: '0' },
      applied: [],
    })),
  );
  const [cpu, began, rounds] = [cpuMs(child.pid as number), performance.now(), 60];
  let last = '0';
  for (let i = 1; i <= rounds; i++) {
    const next = String(i);
    const outcome = await wallets.bulkWrite(
      Array.from({ length: 500 }, (_, j) => ({
        updateOne: {
          filter: { _id: j, 'marks.e_0': last },
          update: { $inc: { balance: -7, usedQuota: 7, requests: 1, version: 1 }, $set: { 'marks.e_0': next } },
        },
      })),
      { ordered: false },
    );
    if (outcome.modifiedCount !== 500) throw new Error(`${outcome.modifiedCount} of 500 updates matched`);
    last = next;
  }
  console.log(
    `conditional $inc by _id, batches of 500: ${(((cpuMs(child.pid as number) - cpu) * 1000) / (rounds * 500)).toFixed(1)} us CPU each in the store, ${(((performance.now() - began) * 1000) / (rounds * 500)).toFixed(1)} us wall`,
  );
  await timed('one update by _id, alone', 200, () => wallets.updateOne({ _id: pick(1000) }, { $inc: { balance: 1 } }));
  await timed('one find by _id', 500, () => wallets.findOne({ _id: pick(1000) }));
}

async function cleanUp({ db, client }: Running) {
  const logs = db.collection('usage_logs');
  let worst = 0;
  let going = true;
  const other = (async () => {
    while (going) {
      const began = performance.now();
      await client.db('bench').collection('usage_hourly').findOne({});
      worst = Math.max(worst, performance.now() - began);
    }
  })();
  const began = performance.now();
  const { deletedCount } = await logs.deleteMany({ at: { $lt: new Date(startAt + rows * 200) } });
  going = false;
  await other;
  console.log(
    `clean-up of ${deletedCount} logs: ${Math.round(performance.now() - began)} ms; longest wait of another client meanwhile ${worst.toFixed(1)} ms`,
  );
}

let running = await start();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    running.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  });
}
try {
  console.log(`empty start ${running.startMs.toFixed(0)} ms; loading ${rows} logs`);
  await load(running);
  await reads(running);
  await updates(running);
  await cleanUp(running);
  const pid = running.child.pid as number;
  console.log(
    `rss ${rssMb(pid).toFixed(0)} MB, peak ${rssMb(pid, 'VmHWM').toFixed(0)} MB; file ${(statSync(join(folder, 'store.sqlite')).size / 1e6).toFixed(0)} MB`,
  );
  await running.client.close();
  running.child.kill('SIGKILL');
  await once(running.child, 'exit');
  running = await start();
  console.log(
    `start after kill -9 with the data there: ${running.startMs.toFixed(0)} ms to the first answer, rss ${rssMb(running.child.pid as number).toFixed(0)} MB`,
  );
} finally {
  await running.client.close();
  running.child.kill('SIGTERM');
  await once(running.child, 'exit');
  rmSync(folder, { recursive: true, force: true });
}
