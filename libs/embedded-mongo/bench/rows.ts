import { cpuMs, type Running, rssMb } from './store-process.ts';

export const hourMs = 3_600_000;
export const startAt = Date.UTC(2026, 0, 1);
export const pick = (n: number): number => Math.floor(Math.random() * n);
/** Few models have most calls; the last one has hardly any. */
export const models = Array.from({ length: 40 }, (_, i) => `${['gpt', 'claude', 'gemini', 'deepseek'][i % 4]}-model-${i}`);
const rareEvery = 100_000;

/** Those of `usage_logs`, as `libs/db` declares them. */
const indexes = [
  { key: { userId: 1, at: -1 } },
  { key: { userId: 1, model: 1, at: -1 } },
  { key: { at: -1 } },
  { key: { channelId: 1, at: -1 } },
  { key: { model: 1, at: -1 } },
  { key: { tokenName: 1, at: -1 } },
  { key: { group: 1, at: -1 } },
  { key: { type: 1, at: -1 }, name: 'top_ups', partialFilterExpression: { type: { $lt: 2 } } },
  { key: { type: 1, at: -1 }, name: 'management', partialFilterExpression: { type: { $gt: 2 } } },
  { key: { at: -1 }, name: 'hidden', partialFilterExpression: { hidden: true } },
] as const;

/** When log `i` was written, of so many in 60 days. */
export const atOf = (i: number, logs: number): number => startAt + Math.floor((i / logs) * 60 * 24 * hourMs);

function logRow(i: number, logs: number) {
  const userId = pick(1000);
  const model = i % rareEvery === 77 ? 'rare-model' : (models[pick(pick(40) + 1)] as string);
  return {
    _id: `${String(i).padStart(12, '0')}${pick(2 ** 31).toString(36)}`,
    type: i % 5000 === 4 ? 1 : 2,
    at: new Date(atOf(i, logs)),
    userId,
    username: `user-${userId}`,
    tokenId: userId * 3 + (i % 3),
    tokenName: `token ${userId}-${i % 3}`,
    group: i % rareEvery === 99 ? 'rare' : (['default', 'vip'][+(i % 7 === 0)] as string),
    model,
    upstreamModel: model,
    mode: 'chat',
    channelId: 1 + pick(20),
    channelName: 'main',
    triedChannels: [3],
    isStream: i % 2 === 0,
    durationMs: pick(20_000),
    firstTokenMs: 200,
    promptTokens: pick(4000),
    completionTokens: pick(1000),
    usage: { textInput: pick(4000), textOutput: pick(1000) },
    usageSource: 'upstream',
    endReason: 'complete',
    price: { kind: 'ratio', modelRatio: 1.25, completionRatio: 4, groupRatio: 1 },
    quota: pick(5000),
    uncollected: 0,
    content: '',
    epoch: 'redis:usage.recorded:abc',
    partition: i % 8,
    offset: String(i).padStart(20, '0'),
  };
}

/** Writes logs `from` to `to` of `logs`, in batches of 1 000, and says what that cost. */
export async function load(running: Running, { from, to, logs }: { from: number; to: number; logs: number }): Promise<void> {
  const collection = running.db.collection<{ _id: string }>('usage_logs');
  if (from === 0) await collection.createIndexes([...indexes] as never);
  const [cpu, began] = [cpuMs(running), performance.now()];
  for (let i = from; i < to; i += 1000) {
    const batch = Array.from({ length: Math.min(1000, to - i) }, (_, j) => logRow(i + j, logs));
    await collection.insertMany(batch, { ordered: false });
  }
  const [cpuUs, wallMs] = [((cpuMs(running) - cpu) * 1000) / (to - from), performance.now() - began];
  console.log(
    `insert ${from} to ${to}, batches of 1 000: ${cpuUs.toFixed(1)} us CPU a log in the store, ${Math.round(((to - from) / wallMs) * 1000)} logs/s with the client, rss ${rssMb(running)} MB`,
  );
}

/** 21 600 hourly roll-ups of 30 days: what a dashboard of a month adds up. */
export async function loadRollUps({ db }: Running): Promise<void> {
  const hourly = db.collection<{ _id: string }>('usage_hourly');
  await hourly.createIndexes([{ key: { userId: 1, hour: -1 } }, { key: { hour: -1 } }]);
  for (let hour = 0; hour < 720; hour++) {
    await hourly.insertMany(
      Array.from({ length: 30 }, (_, i) => ({
        _id: `${hour}:${i}`,
        hour: new Date(startAt + hour * hourMs),
        userId: i % 6,
        username: `user-${i % 6}`,
        model: models[i % 5] as string,
        channelId: 1,
        tokenId: i % 6,
        tokenName: 'default',
        group: 'default',
        requests: pick(100),
        promptTokens: pick(1e6),
        completionTokens: pick(1e5),
        quota: pick(1e6),
        uncollected: 0,
        marks: { abc_0: '00000000000000000012' },
      })),
    );
  }
}
