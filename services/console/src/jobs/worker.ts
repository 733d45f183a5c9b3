import { thisProcess } from '@tollgate/bus';
import { UnrecoverableError } from 'bullmq';
import type { Context } from '../context.ts';
import { queueName } from './board.ts';
import type { Job } from './job.ts';
import { takeWork } from './take-work.ts';

interface WorkerOptions {
  /** Jobs at once in this console. */
  concurrency?: number;
  /** How long a job that is at work may take to notice that the console stops. */
  stopMs?: number;
  /** How long the jobs of a console that has died are kept for it. */
  lockMs?: number;
}

/**
 * Does the jobs of a list, as one of all consoles. One that dies in the middle of a job leaves it to the others, who begin it again
 * within a minute; one that stops tells its jobs, and leaves those that do not end within `stopMs` to the others as well.
 */
export function openWorker(
  context: Context,
  jobs: readonly Job[],
  { concurrency = 4, stopMs = 5000, lockMs = 30_000 }: WorkerOptions = {},
) {
  const { log } = context;
  const byName = new Map(jobs.map((each) => [each.name, each]));
  const stopping = new AbortController();
  const { worker, stop } = takeWork(context, queueName, {
    concurrency,
    stopMs,
    lockMs,
    async process({ name, data }, _token, lost) {
      const job = byName.get(name);
      if (!job) throw new Error(`there is no job ${name}`); // a console that is newer than this one may know it
      const parsed = job.data.safeParse(data);
      if (!parsed.success) throw new UnrecoverableError(`its data is not that of ${name}: ${parsed.error.issues[0]?.message}`);
      await job.handle(context, parsed.data, lost ? AbortSignal.any([stopping.signal, lost]) : stopping.signal);
      if (job.everyMs) await context.jobs.ran(name, thisProcess);
    },
  });
  worker.on('failed', (entry, error) => {
    const facts = { err: error, job: entry?.name, jobId: entry?.id, attempt: entry?.attemptsMade };
    if (entry?.finishedOn) log.error(facts, 'a job has failed');
    else log.warn(facts, 'a job will be tried again');
  });

  return {
    stop(): Promise<void> {
      stopping.abort(new Error('the console stops'));
      return stop();
    },
  };
}
