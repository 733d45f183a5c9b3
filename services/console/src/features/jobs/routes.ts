import type { JobsView, JobView, jobRoutes, ScheduleView } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { Board, Run, Schedule } from '../../jobs/board.ts';
import { jobs as allJobs } from '../../jobs/list.ts';

const shownOfEachState = 50;

async function listJobs(board: Board): Promise<JobsView> {
  const [counts, runs, schedules] = await Promise.all([board.counts(), board.list(shownOfEachState), board.schedules()]);
  return { counts, items: runs.map(jobView), schedules: schedules.map(scheduleView) };
}

/** Has a failed job done once more, with all its attempts; it stands in the list as a new one. Throws `job_running`. */
async function runAgain(board: Board, id: string, actor: Caller): Promise<void> {
  const entry = await board.failed(id);
  const job = allJobs.find(({ name }) => name === entry?.name);
  if (!entry || !job) throw new AppError('record_not_found');
  if (!(await board.start(job, entry.data))) throw new AppError('job_running');
  await entry.remove();
  await audit(actor, 'job.run', `job:${job.name}`, { after: { failed: id } });
}

export function jobHandlers({ jobs }: Pick<Context, 'jobs'>): Handlers<typeof jobRoutes> {
  return {
    'GET /api/job': () => listJobs(jobs),
    'POST /api/job/:id/run': ({ params, caller }) => runAgain(jobs, params.id, caller),
  };
}

/** A run of a job as root sees it; not what it works on, which may be somebody's. */
function jobView({ state, entry }: Run): JobView {
  return {
    id: entry.id ?? '',
    name: entry.name,
    state,
    attempts: entry.attemptsMade,
    created_time: seconds(entry.timestamp),
    started_time: seconds(entry.processedOn),
    ended_time: seconds(entry.finishedOn),
    console: entry.processedBy ?? '',
    reason: entry.failedReason ?? '',
  };
}

function scheduleView({ name, everyMs, nextAt, last }: Schedule): ScheduleView {
  return { name, every: everyMs / 1000, next_time: seconds(nextAt), last_time: seconds(last?.at), last_console: last?.console ?? '' };
}

function seconds(ms: number | undefined): number {
  return Math.floor((ms ?? 0) / 1000);
}
