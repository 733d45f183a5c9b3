import { z } from 'zod';
import { syncTasks } from '../task-sync/sync-tasks.ts';
import { job } from './job.ts';

/** Asks providers how the drawings that they work on stand. */
export const syncDrawings = job({
  name: 'sync-drawings',
  data: z.strictObject({}),
  alone: true,
  attempts: 1,
  everyMs: () => 15_000,
  async handle(context, _data, signal) {
    await syncTasks(context, 'drawing', signal);
  },
});
