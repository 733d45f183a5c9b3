// CPU per event of publishing and consuming: node bench/bus.ts [redis|kafka]. A measurement, never a test.

import type { UsageRecorded } from '@tollgate/contracts';
import { startKafka, startRedis } from '@tollgate/testing';
import { batchedPublisher, openBus, topics } from '../src/index.ts';

const rounds = 15;
const eventsPerRound = 20_000;

const kind = process.argv[2] ?? 'redis';
const engine = kind === 'kafka' ? await startKafka() : await startRedis();
const url = 'brokers' in engine ? `kafka://${engine.brokers.join(',')}` : engine.url;
const topic = { ...topics.usageRecorded, name: `bench.${process.pid}` };
const publishing = await openBus(url, { partitions: 8 });
const publisher = batchedPublisher(publishing, topic, { maxQueuedEvents: 1e9, maxQueuedBytes: 1e12 });

let received = 0;
const consuming = await openBus(url);
const results = { publish: [] as number[], consume: [] as number[] };
for (let round = 0; round < rounds; round += 1) {
  results.publish.push(
    await cpuPerEvent(async () => {
      for (let i = 0; i < eventsPerRound; i += 1) {
        publisher.push(String(i % 500), eventNumber(round * eventsPerRound + i));
        if (i % 500 === 499) await publisher.flush();
      }
      await publisher.flush();
    }),
  );
  received = 0;
  const consumption = await consuming.consume({
    topic,
    group: 'bench',
    handleBatch: async (batch) => {
      received += batch.length;
    },
  });
  results.consume.push(
    await cpuPerEvent(async () => {
      while (received < eventsPerRound) await new Promise((resolve) => setTimeout(resolve, 5));
    }),
  );
  await consumption.stop();
}
console.log(kind, 'us CPU of this process per event; min and median of', rounds, 'rounds of', eventsPerRound);
for (const [what, values] of Object.entries(results)) {
  const sorted = values.toSorted((a, b) => a - b);
  console.log(what.padEnd(8), sorted[0]?.toFixed(2), sorted[Math.floor(rounds / 2)]?.toFixed(2));
}
await Promise.all([publishing.close(), consuming.close()]);
await engine.stop();

async function cpuPerEvent(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / eventsPerRound;
}

function eventNumber(n: number): UsageRecorded {
  return {
    version: 1,
    id: `20260101000000${n}`,
    at: 1_790_000_000_000 + n,
    userId: (n % 500) + 1,
    username: 'somebody',
    tokenId: 7,
    tokenName: 'default',
    group: 'default',
    mode: 'chat',
    model: 'gpt-4o-mini',
    upstreamModel: 'gpt-4o-mini',
    channelId: 3,
    channelName: 'openai',
    triedChannels: [3],
    isStream: true,
    durationMs: 1234,
    firstTokenMs: 321,
    usage: {
      textInput: 120,
      cachedInput: 0,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      audioInput: 0,
      imageInput: 0,
      textOutput: 240,
      reasoningOutput: 0,
      audioOutput: 0,
    },
    usageSource: 'upstream',
    endReason: 'complete',
    price: {
      kind: 'ratio',
      modelRatio: 0.075,
      completionRatio: 4,
      cacheRatio: 0.5,
      cacheWrite5mRatio: 1.25,
      cacheWrite1hRatio: 2,
      audioRatio: 1,
      audioCompletionRatio: 1,
      modelPrice: 0,
      groupRatio: 1,
      quotaPerUnit: 500_000,
    },
    quota: 81,
    uncollected: 0,
  };
}
