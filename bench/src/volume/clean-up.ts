import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase, disconnectDatabase, UsageLog, WalletModel } from '@tollgate/db';
import type { Row } from '../bench.ts';
import { cpuMicros } from '../processes.ts';

const batch = 200;
const pieceMs = 4000;
const rounds = 5;
const rowsAtOnce = 1000;
const restTimes = 9;

interface Written {
  rows: number;
  /** Of the store. */
  cpuMicros: number;
  waitsMs: number[];
}

/**
 * What writers lose to the daily clean-up: batches of logs and wallets written one after the other, for a while alone and for a while beside it, in turns. It
 * deletes and rests as the console's own does. What it takes of the store is told by CPU time, as waits tell how busy the machine is with other things.
 */
export async function cleanUpBesideWriters(uri: string, storePid: number): Promise<Row[]> {
  await connectDatabase(uri);
  const alone: Written = { rows: 0, cpuMicros: 0, waitsMs: [] };
  const beside: Written = { rows: 0, cpuMicros: 0, waitsMs: [] };
  let deleted = 0;
  for (let round = 0; round < rounds; round += 1) {
    await write(alone, storePid, `alone-${round}`);
    const stop = new AbortController();
    const cleaning = clean(stop.signal);
    await write(beside, storePid, `beside-${round}`);
    stop.abort();
    deleted += await cleaning;
  }
  await disconnectDatabase();
  const each = ({ rows, cpuMicros }: Written): number => cpuMicros / rows;
  const seconds = (rounds * pieceMs) / 1000;
  const middle = ({ waitsMs }: Written): number => waitsMs.sort((a, b) => a - b)[waitsMs.length >> 1] ?? 0;
  const parts = {
    'us CPU of the store a row alone': each(alone),
    beside: each(beside),
    'rows a second alone': alone.rows / seconds,
    'rows a second beside': beside.rows / seconds,
    'ms a batch alone': middle(alone),
    'ms a batch beside': middle(beside),
    'deleted a second': deleted / seconds,
  };
  const value = (1 - each(alone) / each(beside)) * 100;
  return [{ name: 'volume: of the store, the clean-up takes beside writers', value, parts, unit: '%', atMost: 10 }];
}

async function write(into: Written, storePid: number, name: string): Promise<void> {
  const until = performance.now() + pieceMs;
  const before = cpuMicros(storePid);
  let written = 0;
  while (performance.now() < until) {
    const begun = performance.now();
    const rows = Array.from({ length: batch }, (_, index) => ({
      _id: `written-${name}-${written + index}-${process.pid}`,
      type: 2,
      at: new Date(),
      userId: 1 + ((written + index) % 5000),
      username: 'writer',
      tokenId: 1,
      tokenName: `token-${(written + index) % 5000}`,
      group: 'default',
      model: 'gpt-model-0',
      channelId: 1 + (index % 5000),
      channelName: 'channel',
      promptTokens: 10,
      completionTokens: 10,
      quota: 10,
      content: '',
    }));
    await Promise.all([
      UsageLog.collection.insertMany(rows as never[], { ordered: false }),
      WalletModel.updateOne({ _id: 1 + (written % 5000) }, { $inc: { requests: batch } }),
    ]);
    written += batch;
    into.waitsMs.push(performance.now() - begun);
  }
  into.rows += written;
  into.cpuMicros += cpuMicros(storePid) - before;
}

async function clean(signal: AbortSignal): Promise<number> {
  let deleted = 0;
  while (!signal.aborted) {
    const began = performance.now();
    const rows = await UsageLog.find().sort({ at: 1 }).limit(rowsAtOnce).select('_id').lean();
    deleted += (await UsageLog.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } })).deletedCount;
    await delay(restTimes * (performance.now() - began), undefined, { signal }).catch(() => {});
  }
  return deleted;
}
