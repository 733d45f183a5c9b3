import { z } from 'zod';
import { syncTasks } from '../task-sync/sync-tasks.ts';
import { job } from './job.ts';

/** Asks providers how the music that they work on stands. */
export const syncMusic = job({
  name: 'sync-music',
  data: z.strictObject({}),
  alone: true,
  attempts: 1,
  everyMs: () => 15_000,
  async handle(context, _data, signal) {
    await syncTasks(context, 'music', signal);
  },
});
