/**
 * Loads usage logs into a bundled store of its own process and prints what lists, dashboard, clean-up, memory and start cost.
 * `LOGS=5000000 node bench/size.ts`; the data folder is made under TMPDIR.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atOf, hourMs, load, loadRollUps, models, pick, startAt } from './rows.ts';
import { cpuMs, type Running, rssMb, spread, start, stop, timed } from './store-process.ts';

const logs = Number(process.env.LOGS ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'bundled-store-'));
/** As the console counts. */
const [pageRows, totalCap, countTimeoutMs] = [20, 10_000, 75];

/** What the console asks for a page of the log: the rows, and when that was not all how many there are, for as long as it counts. */
async function page({ db }: Running, filter: object, skip = 0): Promise<void> {
  const collection = db.collection('usage_logs');
  const rows = await collection
    .find(filter)
    .sort({ at: -1 })
    .skip(skip)
    .limit(pageRows + 1)
    .toArray();
  if (rows.length > pageRows) await collection.countDocuments(filter, { limit: totalCap, maxTimeMS: countTimeoutMs }).catch(isTimeout);
}

function isTimeout(error: { code?: unknown }): void {
  if (error.code !== 50) throw error;
}

async function reads(running: Running): Promise<void> {
  const day = () => {
    const from = new Date(startAt + pick(59) * 24 * hourMs);
    return { $gte: from, $lt: new Date(from.getTime() + 24 * hourMs) };
  };
  const beginning = async (begin: string) => ({
    model: { $in: await running.db.collection('usage_logs').distinct('model', { model: { $gte: begin, $lt: `${begin}\u{10ffff}` } }) },
  });
  const list = (name: string, filter: () => object | Promise<object>, skip = 0) =>
    timed(running, `page ${name}`, { times: 40, run: async () => page(running, await filter(), skip) });
  await list('of all, the first', () => ({}));
  await list('of all, number 500', () => ({}), 9980);
  await list('of a day', () => ({ at: day() }));
  await list('of a user', () => ({ userId: pick(1000) }));
  await list('of a user and day', () => ({ userId: pick(1000), at: day() }));
  await list('of a channel', () => ({ channelId: 1 + pick(20) }));
  await list('of a model', () => ({ model: models[pick(40)] }));
  await list('of models by their beginning (10 of 41)', () => beginning('gpt-'));
  await list('of a rare model by its beginning', () => beginning('rare'));
  await list('of a token name', () => ({ tokenName: `token ${pick(1000)}-1` }));
  await list('of a group', () => ({ group: 'vip' }));
  await list('of a rare group', () => ({ group: 'rare' }));
  await list('of top-ups', () => ({ type: 1 }));
  await list('of calls', () => ({ type: 2 }));
  await list('of a user and model', () => ({ userId: pick(1000), model: models[pick(40)] }));
  await list('of a channel, model and day', () => ({ channelId: 1 + pick(20), model: models[pick(40)], at: day() }));
  await list('of a channel and model', () => ({ channelId: 1 + pick(20), model: models[pick(10)] }));
  await list('of a request id', () => ({ _id: 'nowhere' }));
  const sums = { quota: { $sum: '$quota' }, count: { $sum: '$requests' }, prompt: { $sum: '$promptTokens' } };
  const dashboard = (match: object, group: unknown) =>
    running.db.collection('usage_hourly').aggregate([{ $match: match }, { $group: { _id: group, ...sums } }], { batchSize: 100_000 });
  const month = { hour: { $gte: new Date(startAt) } };
  const byHour = { model: '$model', hour: '$hour' };
  const each = (name: string, run: () => Promise<unknown>) => timed(running, name, { times: 40, run });
  await each('dashboard of a month (21 600 roll-ups), by model and hour', () => dashboard(month, byHour).toArray());
  await each('dashboard of a month, by model', () => dashboard(month, '$model').toArray());
  await each('dashboard of a month, one user, by model and hour', () => dashboard({ userId: 3, ...month }, byHour).toArray());
}

/** A cursor that waits holds the rest of what its walk read last: here half of them merge ten ranges. */
async function cursors(running: Running): Promise<void> {
  const before = rssMb(running);
  const open = Array.from({ length: 900 }, (_, i) => {
    const filter = i % 2 === 0 ? { userId: i } : { model: { $in: models.slice(i % 20, (i % 20) + 10) } };
    return running.db.collection('usage_logs').find(filter).sort({ at: -1 }).batchSize(50);
  });
  for (const cursor of open) for (let row = 0; row < 75; row++) await cursor.next();
  console.log(`900 cursors open: rss ${before} MB before, ${rssMb(running)} MB with them`);
  for (const cursor of open) await cursor.close();
}

/** Deletes old logs as the console does, while another client lists and a third writes. */
async function cleanUp(running: Running, count: number): Promise<void> {
  const collection = running.db.collection<{ _id: string }>('usage_logs');
  const before = new Date(atOf(count, logs));
  const [waits, writes]: [number[], number[]] = [[], []];
  let going = true;
  const during = async (took: number[], run: () => Promise<unknown>) => {
    while (going) {
      const began = performance.now();
      await run();
      took.push(performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const others = [
    during(waits, () => page(running, { userId: pick(1000) })),
    during(writes, () => running.db.collection('wallets').updateOne({ n: 1 }, { $inc: { balance: 1 } }, { upsert: true })),
  ];
  const [began, cpu] = [performance.now(), cpuMs(running)];
  let deleted = 0;
  for (;;) {
    const rows = await collection
      .find({ at: { $lt: before } }, { projection: { _id: 1 } })
      .sort({ at: 1 })
      .limit(1000)
      .toArray();
    if (rows.length === 0) break;
    deleted += (await collection.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } })).deletedCount;
  }
  const wallMs = performance.now() - began;
  going = false;
  await Promise.all(others);
  const cpuUs = ((cpuMs(running) - cpu) * 1000) / deleted;
  console.log(`clean-up of ${deleted} logs: ${(wallMs / 1000).toFixed(1)} s, ${cpuUs.toFixed(1)} us CPU each in the store`);
  console.log(`  a page of a user meanwhile: ${spread(waits)}\n  an update meanwhile: ${spread(writes)}`);
}

async function restart(running: Running): Promise<Running> {
  await stop(running, 'SIGKILL');
  const next = await start(folder);
  console.log(`start after kill -9: ${next.startMs.toFixed(0)} ms to the first answer, rss ${rssMb(next)} MB`);
  return next;
}

let running = await start(folder);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    running.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  });
}
try {
  console.log(`start of an empty store: ${running.startMs.toFixed(0)} ms`);
  await loadRollUps(running);
  const steps = [...new Set([Math.min(1_000_000, logs), logs])];
  for (const [i, to] of steps.entries()) {
    await load(running, { from: steps[i - 1] ?? 0, to, logs });
    running = await restart(running);
    await reads(running);
  }
  await cursors(running);
  await cleanUp(running, Math.min(1_000_000, logs / 5));
  const fileMb = Math.round(statSync(join(folder, 'store.sqlite')).size / 1e6);
  console.log(`rss ${rssMb(running)} MB, peak ${rssMb(running, 'VmHWM')} MB; file ${fileMb} MB`);
  running = await restart(running);
} finally {
  await stop(running, 'SIGTERM').catch(() => {});
  rmSync(folder, { recursive: true, force: true });
}
