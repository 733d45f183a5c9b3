import { setTimeout as delay } from 'node:timers/promises';
import { noUsage, type TaskSubmission } from '@tollgate/contracts';
import { forgetTask, type Noted, noteAccepted, noteRejected, rejectionReasons } from '@tollgate/tasks';
import type { AskedCall, Call, HeldCall } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { report } from '../quota/report.ts';

/**
 * Notes that a provider accepted a task. When the database does not answer, the note is retried in the background, so that the caller's
 * answer does not wait for it.
 */
export async function noteTaken(relay: Relay, call: HeldCall, submission: TaskSubmission & { isFree: boolean }): Promise<Noted> {
  const write = () => noteAccepted(call.id, submission, sharedNow(relay));
  try {
    return await write();
  } catch (error) {
    relay.logger.warn({ requestId: call.id, err: error }, 'a task that was taken could not be noted, trying again');
    void tryOn(relay, call.id, async () => {
      const noted = await write();
      // The call was charged meanwhile; the refund of a failed task gives that back.
      if (noted === 'known' || noted === 'other') await noteRefused(relay, call.id, { ...rejectionReasons[noted], isReleased: false });
    });
    return 'taken';
  }
}

function sharedNow(relay: Relay): Date {
  return new Date(relay.wallet.time());
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
 * Notes that no provider accepted the task. The caller's answer does not depend on the database: a row that stays open fails by its age.
 * `isReleased`: its hold is gone and nothing can be charged any more.
 */
async function noteRefused(relay: Relay, taskId: string, why: { code: number; reason: string; isReleased: boolean }): Promise<void> {
  try {
    await noteRejected(taskId, why, sharedNow(relay));
  } catch (error) {
    relay.logger.warn({ requestId: taskId, err: error }, 'a task that nobody took was left to the sync');
  }
}

/** Reports the charge. The hold already carries the bill, so the sweep charges it when Redis does not answer. */
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

/** Removes the row of a task that the caller has another row of; it goes last, because a later charge is refunded by it. */
export async function endKnown(relay: Relay, call: HeldCall): Promise<void> {
  if (await releaseNow(relay, call)) await forget(relay, call.id);
  else await noteRefused(relay, call.id, { ...rejectionReasons.known, isReleased: false });
}

/** Whether the hold is certainly gone, so that nothing is charged. Past the deadline a sweep may have charged it first. */
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

async function forget(relay: Relay, taskId: string): Promise<void> {
  try {
    await forgetTask(taskId);
  } catch (error) {
    relay.logger.warn({ requestId: taskId, err: error }, 'a row without a task was left to the sync');
  }
}
