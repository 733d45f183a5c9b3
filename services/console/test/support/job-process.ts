// A console's worker in a process of its own, to be killed: node job-process.ts <redis url>. It begins `mortal` and never ends it.
import { createLogger } from '@tollgate/runtime';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { Context } from '../../src/context.ts';
import { openWorker } from '../../src/jobs/worker.ts';

const redis = new Redis(process.argv[2] ?? '');
const context = { redis, log: createLogger({ service: 'console', level: 'silent' }) } as unknown as Context;
const mortal = {
  name: 'mortal',
  data: z.strictObject({}),
  alone: true,
  attempts: 1,
  async handle() {
    process.stdout.write('begun\n');
    await new Promise(() => {});
  },
};
openWorker(context, [mortal], { lockMs: 1000 });
