import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase, disconnectDatabase, UsageLog, WalletModel } from '@tollgate/db';
import type { Row } from '../bench.ts';

const batch = 200;
const pieceMs = 10_000;
const rounds = 3;
const rowsAtOnce = 1000;

/**
 * What writers lose to the daily clean-up: batches of logs and wallets written one after the other, for a while alone and for a while beside it, in turns. It
 * deletes and rests as the console's own does.
 */
export async function cleanUpBesideWriters(uri: string): Promise<Row[]> {
  await connectDatabase(uri);
  const rates = { alone: 0, beside: 0 };
  let deleted = 0;
  for (let round = 0; round < rounds; round += 1) {
    rates.alone += await writtenIn(pieceMs, `alone-${round}`);
    const stop = new AbortController();
    const cleaning = clean(stop.signal);
    rates.beside += await writtenIn(pieceMs, `beside-${round}`);
    stop.abort();
    deleted += await cleaning;
  }
  await disconnectDatabase();
  const slower = (1 - rates.beside / rates.alone) * 100;
  const parts = {
    'rows a second alone': rates.alone / rounds,
    beside: rates.beside / rounds,
    'deleted a second': deleted / rounds / (pieceMs / 1000),
  };
  return [{ name: 'volume: writers beside the clean-up, slower by', value: slower, parts, unit: '%', atMost: 10 }];
}

/** Rows a second. */
async function writtenIn(ms: number, name: string): Promise<number> {
  const until = performance.now() + ms;
  let written = 0;
  while (performance.now() < until) {
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
  }
  return written / (ms / 1000);
}

async function clean(signal: AbortSignal): Promise<number> {
  let deleted = 0;
  while (!signal.aborted) {
    const began = performance.now();
    const rows = await UsageLog.find().sort({ at: 1 }).limit(rowsAtOnce).select('_id').lean();
    deleted += (await UsageLog.deleteMany({ _id: { $in: rows.map(({ _id }) => _id) } })).deletedCount;
    await delay(performance.now() - began);
  }
  return deleted;
}
