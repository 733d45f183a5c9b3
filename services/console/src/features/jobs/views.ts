import type { JobView, ScheduleView } from '@tollgate/contracts';
import type { Run, Schedule } from '../../jobs/board.ts';

/** A run of a job as root sees it; not what it works on, which may be somebody's. */
export function jobView({ state, entry }: Run): JobView {
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

export function scheduleView({ name, everyMs, nextAt, last }: Schedule): ScheduleView {
  return { name, every: everyMs / 1000, next_time: seconds(nextAt), last_time: seconds(last?.at), last_console: last?.console ?? '' };
}

function seconds(ms: number | undefined): number {
  return Math.floor((ms ?? 0) / 1000);
}
