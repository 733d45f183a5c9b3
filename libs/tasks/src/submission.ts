import { type TaskKind, type TaskSubmission, taskExisted } from '@tollgate/contracts';
import { isDuplicate, nextId, rows, type TaskRow } from '@tollgate/db';

const longestPrompt = 20_000;

/** A task before any provider is called. `id`: the request id of its call, and so the id of its hold and charge. */
export interface NewTask {
  id: string;
  kind: TaskKind;
  action: string;
  at: Date;
  owner: { userId: number; username: string; tokenId: number };
  channelId: number;
  /** Which of the channel's keys is used, where it has several. */
  keyId?: number | undefined;
  quota: number;
  request: Pick<TaskRow, 'prompt'> & { state: string; customId: string; botType: string; mode: string };
}

/** Writes the row of a task before a provider is called, so that some process ends the task whichever one dies. */
export async function recordTask({ id, kind, action, at, owner, channelId, keyId, quota, request }: NewTask): Promise<void> {
  const row: TaskRow = {
    _id: id,
    id: await nextId('tasks'),
    kind,
    action,
    status: '',
    progress: '0%',
    failReason: '',
    at,
    startedAt: null,
    endedAt: null,
    updatedAt: at,
    userId: owner.userId,
    username: owner.username,
    tokenId: owner.tokenId,
    channelId,
    ...(keyId !== undefined && { keyId }),
    quota,
    isOpen: true,
    prompt: request.prompt.slice(0, longestPrompt),
    promptEn: '',
    description: '',
    imageUrl: '',
    code: 0,
    state: request.state.slice(0, longestPrompt),
    customId: request.customId,
    botType: request.botType.slice(0, 64),
    mode: request.mode,
  };
  await rows.tasks().insertOne(row);
}

/** Notes that the next channel, or another of its keys, is tried. */
export async function moveTask(taskId: string, { channelId, keyId }: Pick<NewTask, 'channelId' | 'keyId'>): Promise<void> {
  const change = keyId === undefined ? { $set: { channelId }, $unset: { keyId: '' as const } } : { $set: { channelId, keyId } };
  await rows.tasks().updateOne({ _id: taskId, status: '' }, change);
}

/**
 * `taken`: the row is the task; `known`: the user already has a row of this task; `lost`: the row ended meanwhile; `other`: the provider's
 * id is that of another user's task.
 */
export type Noted = 'taken' | 'known' | 'lost' | 'other';

/**
 * Writes that a provider accepted the task, under the provider's id. Harmless when repeated. Rejects when the database does not answer.
 * `isFree`: the task costs nothing; `now`: the shared clock's time.
 */
export async function noteAccepted(taskId: string, submission: TaskSubmission & { isFree: boolean }, now: Date): Promise<Noted> {
  const { upstreamId, code, description, known, properties, result } = submission;
  const isDone = known?.status === 'SUCCESS' || upstreamId === '';
  const $set = {
    ...(upstreamId !== '' && { upstreamId }),
    code,
    description,
    properties,
    updatedAt: now,
    status: isDone ? ('SUCCESS' as const) : firstStatus(submission),
    ...(isDone && { progress: '100%', startedAt: now, endedAt: now }),
    ...(known?.imageUrl && { imageUrl: known.imageUrl }),
    ...(upstreamId === '' && { data: result }),
    ...(submission.isFree && { quota: 0 }),
  };
  try {
    const tasks = rows.tasks();
    if (code !== taskExisted && upstreamId !== '' && (await belongsToOther(taskId, upstreamId))) return 'other';
    const { matchedCount } = await tasks.updateOne({ _id: taskId, status: '' }, { $set, ...(isDone && { $unset: { isOpen: '' } }) });
    if (matchedCount === 1) return 'taken';
    const row = await tasks.findOne({ _id: taskId }, { projection: { upstreamId: 1 } });
    return row?.upstreamId === upstreamId ? 'taken' : 'lost'; // a callback was quicker, or it was given up as too old
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const isTaken = await takeUpstreamId(taskId, { upstreamId, isNewWork: code !== taskExisted, now });
    return isTaken ? await noteAccepted(taskId, submission, now) : 'known';
  }
}

/**
 * Takes the provider's id from an older task: from a failed, refunded one, or, when the provider began new work under the id (a modal
 * confirmed again), from any. An open older task ends as a success, since both share one id from then on. Returns whether there was one.
 */
async function takeUpstreamId(
  taskId: string,
  { upstreamId, isNewWork, now }: { upstreamId: string; isNewWork: boolean; now: Date },
): Promise<boolean> {
  const tasks = rows.tasks();
  const row = await tasks.findOne({ _id: taskId }, { projection: { userId: 1, channelId: 1, action: 1 } });
  if (row === null) return false;
  const { userId, channelId, action } = row;
  const older = { upstreamId, userId, channelId, action, _id: { $ne: taskId } };
  if (!isNewWork) return (await tasks.updateOne({ ...older, status: 'FAILURE' }, { $unset: { upstreamId: '' } })).modifiedCount === 1;
  const $set = { status: 'SUCCESS' as const, progress: '100%', endedAt: now, updatedAt: now };
  const ended = await tasks.updateOne({ ...older, isOpen: true }, { $set, $unset: { upstreamId: '', isOpen: '' } });
  return ended.modifiedCount === 1 || (await tasks.updateOne(older, { $unset: { upstreamId: '' } })).modifiedCount === 1;
}

/** Why the provider's answer does not make this row a task of its own. */
export const rejectionReasons = {
  known: { code: taskExisted, reason: 'It had been submitted before' },
  other: { code: 5, reason: 'The provider named it as a task of somebody else' },
};

/** Whether the provider's id of a new task is that of another user's task, which this user could then read. */
async function belongsToOther(taskId: string, upstreamId: string): Promise<boolean> {
  const tasks = rows.tasks();
  const row = await tasks.findOne({ _id: taskId }, { projection: { userId: 1, channelId: 1 } });
  if (row === null) return false;
  const { userId, channelId } = row;
  return (await tasks.findOne({ upstreamId, channelId, userId: { $ne: userId } }, { projection: { _id: 1 } })) !== null;
}

/** The first status. A reported end of a task that was submitted before is left to the sync, which checks the result. */
function firstStatus({ code, known }: TaskSubmission): TaskRow['status'] {
  if (known?.status === 'MODAL' || known?.status === 'IN_PROGRESS') return known.status;
  return code === 22 ? 'NOT_START' : 'SUBMITTED';
}

/** Deletes the row of a task that the user has another row of. Only once nothing can be charged for it any more. */
export async function forgetTask(taskId: string): Promise<void> {
  await rows.tasks().deleteOne({ _id: taskId, status: '' });
}

/** Notes that no provider accepted the task. `isReleased`: its hold is gone and nothing can be charged; else a refund may become due. */
export async function noteRejected(
  taskId: string,
  { code, reason, isReleased }: { code: number; reason: string; isReleased: boolean },
  now: Date,
): Promise<void> {
  const refund = isReleased ? ('none' as const) : ('due' as const);
  const $set = { status: 'FAILURE' as const, progress: '100%', code, failReason: reason, endedAt: now, updatedAt: now, refund };
  await rows.tasks().updateOne({ _id: taskId, status: '' }, { $set, $unset: { isOpen: '' } });
}
