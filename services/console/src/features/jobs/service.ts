import type { JobsView } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Board } from '../../jobs/board.ts';
import { jobs as allJobs } from '../../jobs/list.ts';
import { jobView, scheduleView } from './views.ts';

const shownOfEachState = 50;

export async function listJobs(board: Board): Promise<JobsView> {
  const [counts, runs, schedules] = await Promise.all([board.counts(), board.list(shownOfEachState), board.schedules()]);
  return { counts, items: runs.map(jobView), schedules: schedules.map(scheduleView) };
}

/** Has a failed job done once more, with all its attempts; it stands in the list as a new one. Throws `job_running`. */
export async function runAgain(board: Board, id: string, actor: Caller): Promise<void> {
  const entry = await board.failed(id);
  const job = allJobs.find(({ name }) => name === entry?.name);
  if (!entry || !job) throw new AppError('record_not_found');
  if (!(await board.start(job, entry.data))) throw new AppError('job_running');
  await entry.remove();
  await audit(actor, 'job.run', `job:${job.name}`, { after: { failed: id } });
}
