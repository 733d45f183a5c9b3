// A consumer in its own process, to be frozen and killed: node consumer-process.ts <bus url> <topic> <group> <ms per batch> [<instance>]
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { openBus } from '../src/index.ts';

const [url = '', name = '', group = '', batchMs = '0', instance] = process.argv.slice(2);
process.once('uncaughtException', ({ message }) => {
  process.stdout.write(`${JSON.stringify({ uncaught: message })}\n`);
});
const bus = await openBus(url, instance === undefined ? {} : { instance });
await bus.consume({
  topic: { name, schema: z.object({ key: z.string(), n: z.number() }) },
  group,
  maxBatch: 20,
  lingerMs: 10,
  async handleBatch(batch) {
    process.stdout.write(`${JSON.stringify({ begun: batch.map(({ value }) => value) })}\n`);
    await delay(Number(batchMs));
    process.stdout.write(`${JSON.stringify({ done: batch.map(({ value }) => value) })}\n`);
  },
});
process.stdout.write('{"ready":true}\n');
