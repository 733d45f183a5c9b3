import { longestTaskMs, type TaskNews, type TaskStatus } from '@tollgate/contracts';
import type { TaskRow } from '@tollgate/db';

/** The fields of a row that a report changes; undefined: none. */
export type TaskChange = Partial<TaskRow> | undefined;

/** A task only moves up in rank. A report of an earlier state is ignored: providers' answers arrive out of order. */
const rank: Record<TaskStatus, number> = {
  '': 0,
  UNKNOWN: 0,
  NOT_START: 1,
  SUBMITTED: 2,
  QUEUED: 2,
  MODAL: 3,
  IN_PROGRESS: 4,
  SUCCESS: 5,
  FAILURE: 5,
};

/** Actions whose result is not an image. */
const withoutPicture = new Set(['DESCRIBE', 'SHORTEN', 'UPLOAD']);
/** A task fails once the provider omits it this many times in a row, unless it is younger than `youngMs`. */
const mostMisses = 4;
const youngMs = 60_000;

/** The change after a provider reports on a task. */
export function afterNews(row: TaskRow, news: TaskNews, now: Date): TaskChange {
  const isFailed = news.status === 'FAILURE' || (news.failReason !== '' && news.status !== 'SUCCESS');
  if (isFailed) return { ...reported(row, news), ...failure(row, news.failReason || 'The provider gave no reason', now) };
  if (news.status === 'SUCCESS' && hasResult(row, news)) {
    const endedAt = news.endedAtMs === undefined ? now : new Date(news.endedAtMs);
    return { ...reported(row, news), status: 'SUCCESS', progress: '100%', endedAt };
  }
  if (isTooOld(row, now)) return failure(row, 'It did not end in time', now);
  const status = news.status === 'SUCCESS' || rank[news.status] <= rank[row.status] ? row.status : news.status;
  const change = { ...reported(row, news), status, progress: further(row.progress, news.progress), ...(row.misses && { misses: 0 }) };
  return differs(row, change) ? change : undefined;
}

/** The change after a provider answers without mentioning the task. */
export function afterMiss(row: TaskRow, now: Date): TaskChange {
  const misses = (row.misses ?? 0) + 1;
  const isYoung = now.getTime() - row.at.getTime() < youngMs;
  if (misses >= mostMisses && !isYoung) return failure(row, 'The provider does not know it any more', now);
  return afterSilence(row, now) ?? { misses };
}

/** The change after a provider cannot be reached. */
export function afterSilence(row: TaskRow, now: Date): TaskChange {
  return isTooOld(row, now) ? failure(row, 'It did not end in time', now) : undefined;
}

/** The change of a task that fails; its charge becomes due for a refund. */
export function failure(row: Pick<TaskRow, 'quota'>, failReason: string, now: Date): Partial<TaskRow> {
  return { status: 'FAILURE', progress: '100%', failReason, endedAt: now, refund: row.quota > 0 ? 'due' : 'none' };
}

function isTooOld({ kind, at }: TaskRow, now: Date): boolean {
  return now.getTime() - at.getTime() > longestTaskMs[kind];
}

/** A success without a result counts as running, until the task is too old. */
function hasResult(row: TaskRow, news: TaskNews): boolean {
  if (row.kind === 'music') return showsSomething(news.data);
  return withoutPicture.has(row.action) || isAddress(news.imageUrl) || isAddress(row.imageUrl ?? '');
}

function showsSomething(data: unknown): boolean {
  if (Array.isArray(data)) return data.some(showsSomething);
  if (typeof data !== 'object' || data === null) return typeof data === 'string' && data !== '';
  return Object.keys(data).length > 0;
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:';
}

/** The reported fields that are not empty. */
function reported(row: TaskRow, news: TaskNews): Partial<TaskRow> {
  return {
    ...(news.startedAtMs !== undefined && row.startedAt === null && { startedAt: new Date(news.startedAtMs) }),
    ...(row.prompt === '' && news.prompt !== '' && { prompt: news.prompt }),
    ...(news.promptEn !== '' && { promptEn: news.promptEn }),
    ...(news.description !== '' && { description: news.description }),
    ...(isAddress(news.imageUrl) && { imageUrl: news.imageUrl }),
    ...(news.buttons !== undefined && { buttons: news.buttons }),
    ...(news.properties !== undefined && { properties: news.properties }),
    ...(news.data !== undefined && { data: news.data }),
  };
}

function further(before: string, now: string): string {
  return Number.parseInt(now, 10) > (Number.parseInt(before, 10) || 0) ? now : before;
}

function differs(row: TaskRow, change: Partial<TaskRow>): boolean {
  const stored = row as unknown as Record<string, unknown>;
  return Object.entries(change).some(([name, value]) => value !== stored[name] && JSON.stringify(value) !== JSON.stringify(stored[name]));
}
