import { z } from 'zod';
import { noteRefunds as noteAll } from '../task-sync/note-refunds.ts';
import { job } from './job.ts';

/** Notes on failed tasks that what they cost was given back. */
export const noteRefunds = job({
  name: 'note-refunds',
  data: z.strictObject({}),
  alone: true,
  attempts: 1,
  everyMs: () => 15_000,
  async handle(context) {
    await noteAll(context);
  },
});
