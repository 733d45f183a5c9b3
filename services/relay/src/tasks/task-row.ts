import { setTimeout as delay } from 'node:timers/promises';
import { noUsage } from '@tollgate/contracts';
import { isDuplicate, nextId, rows, type TaskRow } from '@tollgate/db';
import type { TaskSubmission } from '@tollgate/providers';
import type { AskedCall, Call, HeldCall } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { report } from '../quota/report.ts';
import type { TaskRequest } from './task-request.ts';

const longestPrompt = 20_000;

/** Writes the row of a task that nobody has been asked for yet: whatever dies from now on, somebody will end it. */
export async function recordTask(call: HeldCall, request: TaskRequest, on: { channelId: number; quota: number }): Promise<void> {
  const { caller } = call.checked;
  const at = new Date(call.atMs);
  const row: TaskRow = {
    _id: call.id,
    id: await nextId('tasks'),
    kind: request.kind,
    action: request.action,
    status: '',
    progress: '0%',
    failReason: '',
    ...{ at, startedAt: null, endedAt: null, updatedAt: at },
    userId: caller.userId,
    username: caller.username,
    tokenId: caller.tokenId,
    channelId: on.channelId,
    quota: on.quota,
    isOpen: true,
    prompt: request.prompt.slice(0, longestPrompt),
    ...{ promptEn: '', description: '', imageUrl: '', code: 0 },
    state: request.state.slice(0, longestPrompt),
    customId: request.customId,
    botType: request.botType.slice(0, 64),
    mode: request.mode,
  };
  await rows.tasks().insertOne(row);
}

/** Another channel is asked. */
export async function moveTask(taskId: string, channelId: number): Promise<void> {
  await rows.tasks().updateOne({ _id: taskId, status: '' }, { $set: { channelId } });
}

/** `known`: the row that the caller has of it stays the only one; `lost`: it was given up meanwhile; `anothers`: its name is that of somebody else's. */
export type Noted = 'taken' | 'known' | 'lost' | 'anothers';

/**
 * Notes that a provider has taken a task.
 * When the database is away it is tried on behind the caller's back: his answer does not wait for long.
 */
export async function noteTaken(relay: Relay, call: HeldCall, submission: TaskSubmission & { isFree: boolean }): Promise<Noted> {
  const write = () => writeTaken(relay, call.id, submission);
  try {
    return await write();
  } catch (error) {
    relay.logger.warn({ requestId: call.id, err: error }, 'a task that was taken could not be noted, trying again');
    void tryOn(relay, call.id, async () => {
      const noted = await write();
      // It was charged meanwhile: the sync gives that back.
      if (noted === 'known' || noted === 'anothers') await noteRefused(relay, call.id, { ...untaken[noted], isReleased: false });
    });
    return 'taken';
  }
}

async function writeTaken(relay: Relay, taskId: string, submission: TaskSubmission & { isFree: boolean }): Promise<Noted> {
  const { upstreamId, code, description, known, properties, result } = submission;
  const now = new Date(relay.wallet.time());
  const isDone = known?.status === 'SUCCESS' || upstreamId === '';
  const $set = {
    ...(upstreamId !== '' && { upstreamId }),
    ...{ code, description, properties, updatedAt: now },
    status: isDone ? ('SUCCESS' as const) : standing(submission),
    ...(isDone && { progress: '100%', startedAt: now, endedAt: now }),
    ...(known?.imageUrl && { imageUrl: known.imageUrl }),
    ...(upstreamId === '' && { data: result }),
    ...(submission.isFree && { quota: 0 }),
  };
  try {
    const tasks = rows.tasks();
    if (code !== existed && upstreamId !== '' && (await isAnothers(taskId, upstreamId))) return 'anothers';
    const { matchedCount } = await tasks.updateOne({ _id: taskId, status: '' }, { $set, ...(isDone && { $unset: { isOpen: '' } }) });
    if (matchedCount === 1) return 'taken';
    const row = await tasks.findOne({ _id: taskId }, { projection: { upstreamId: 1 } });
    return row?.upstreamId === upstreamId ? 'taken' : 'lost'; // a callback was quicker, or it was given up as too old
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const isTaken = await takeName(taskId, { upstreamId, isNewWork: code !== existed, now });
    return isTaken ? await writeTaken(relay, taskId, submission) : 'known';
  }
}

/**
 * Takes a name over from an older task: from one that failed, whose price was given back, or, where the provider began new work under the
 * name (a modal that was confirmed again), from any. One that was open ends by that: nothing tells the two apart any more, and both
 * were taken. Returns whether there was one.
 */
async function takeName(
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

/** What a provider answers to what it knows already, and to what waits for a modal. */
export const existed = 21;

/** Why a row is of no task of its own. */
export const untaken = {
  known: { code: existed, reason: 'It had been submitted before' },
  anothers: { code: 5, reason: 'The provider named it as a task of somebody else' },
};

/** Takes the row of a task away that the caller has another one of. Only once nothing can be charged for it any more. */
export async function forgetTask(relay: Relay, taskId: string): Promise<void> {
  try {
    await rows.tasks().deleteOne({ _id: taskId, status: '' });
  } catch (error) {
    relay.logger.warn({ requestId: taskId, err: error }, 'a row without a task was left to the sync');
  }
}

/** Whether a provider calls something new by the name of what somebody else has: whoever asks for it would be shown that. */
async function isAnothers(taskId: string, upstreamId: string): Promise<boolean> {
  const tasks = rows.tasks();
  const row = await tasks.findOne({ _id: taskId }, { projection: { userId: 1, channelId: 1 } });
  if (row === null) return false;
  const { userId, channelId } = row;
  return (await tasks.findOne({ upstreamId, channelId, userId: { $ne: userId } }, { projection: { _id: 1 } })) !== null;
}

/** Where a task begins. What its provider says of one that it has known before is believed but for its end: that the sync looks at. */
function standing({ code, known }: TaskSubmission): TaskRow['status'] {
  if (known?.status === 'MODAL' || known?.status === 'IN_PROGRESS') return known.status;
  return code === 22 ? 'NOT_START' : 'SUBMITTED';
}

const longestPatienceMs = 300_000;

async function tryOn(relay: Relay, taskId: string, write: () => Promise<unknown>): Promise<void> {
  const giveUpAt = performance.now() + longestPatienceMs;
  for (let pauseMs = 100; performance.now() < giveUpAt; pauseMs = Math.min(pauseMs * 2, 5_000)) {
    await delay(pauseMs, undefined, { ref: false });
    try {
      await write();
      return;
    } catch (error) {
      relay.logger.warn({ requestId: taskId, err: error }, 'a task that was taken could not be noted');
    }
  }
  relay.logger.error({ requestId: taskId }, 'a task that was taken was never noted: it will fail by its age, and its price be given back');
}

/**
 * Notes that nobody took a task. `isReleased`: its hold is gone, nothing can be charged any more; else the sync finds out. The
 * caller has his answer whether the database takes this or not: a row that stays open fails by its age.
 */
export async function noteRefused(
  relay: Relay,
  taskId: string,
  { code, reason, isReleased }: { code: number; reason: string; isReleased: boolean },
): Promise<void> {
  const now = new Date(relay.wallet.time());
  const refund = isReleased ? ('none' as const) : ('due' as const);
  const $set = { status: 'FAILURE' as const, progress: '100%', code, failReason: reason, endedAt: now, updatedAt: now, refund };
  try {
    await rows.tasks().updateOne({ _id: taskId, status: '' }, { $set, $unset: { isOpen: '' } });
  } catch (error) {
    relay.logger.warn({ requestId: taskId, err: error }, 'a task that nobody took was left to the sync');
  }
}

/** The hold carries the bill already: when Redis does not take it again in time, the sweep charges it. */
export async function charge(relay: Relay, call: AskedCall): Promise<void> {
  try {
    await report(relay, call, { usage: noUsage, usageSource: 'upstream', endReason: 'complete' }, { isDelivered: true });
  } catch (error) {
    relay.logger.warn({ requestId: call.id, err: error }, 'the bill of a task is left to the sweep');
  }
}

export async function endRefused(
  relay: Relay,
  call: Call & { hold: HeldCall['hold'] },
  why: { code: number; reason: string },
): Promise<void> {
  const isReleased = await releaseNow(relay, call);
  await noteRefused(relay, call.id, { ...why, isReleased });
}

/** The caller has another row of it. This one goes last: whatever is charged for it after all is given back by it. */
export async function endKnown(relay: Relay, call: HeldCall): Promise<void> {
  if (await releaseNow(relay, call)) await forgetTask(relay, call.id);
  else await noteRefused(relay, call.id, { ...untaken.known, isReleased: false });
}

/** Whether the hold is gone for sure: then nothing will ever be charged. A sweep may have been quicker where this process stood still. */
export async function releaseNow(relay: Relay, { hold }: { hold: HeldCall['hold'] }): Promise<boolean> {
  hold.isOver = true;
  try {
    await relay.wallet.release(hold);
    return Date.now() < hold.deadlineMs;
  } catch (error) {
    relay.logger.warn({ requestId: hold.requestId, err: error }, 'a hold was left to the sweep');
    return false;
  } finally {
    relay.turns.ended(hold.userId);
  }
}
