// A console's worker in a process of its own: node job-process.ts <redis url> [stop | stop-first]. It begins `mortal` and never ends it, to be
// killed; with `stop` it stops while that is at work, and then has nothing left to live for; with `stop-first` the work ends after all.
import { createLogger } from '@tollgate/runtime';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { Context } from '../../src/context.ts';
import { openWorker } from '../../src/jobs/worker.ts';

const [url = '', order] = process.argv.slice(2);
const redis = new Redis(url);
let end = () => {};
const context = { redis, log: createLogger({ service: 'console', level: 'silent' }) } as unknown as Context;
const mortal = {
  name: 'mortal',
  data: z.strictObject({}),
  alone: true,
  attempts: 1,
  async handle() {
    process.stdout.write('begun\n');
    if (order?.startsWith('stop')) setImmediate(() => void stop());
    await new Promise<void>((resolve) => {
      end = resolve;
    });
  },
};
const worker = openWorker(context, [mortal], { lockMs: 1000, stopMs: 300 });

async function stop(): Promise<void> {
  await worker.stop();
  redis.disconnect();
  process.stdout.write('stopped\n');
  if (order === 'stop-first') end();
}
