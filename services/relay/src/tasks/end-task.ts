import { noUsage } from '@tollgate/contracts';
import type { Relay } from '../context/relay.ts';
import type { AskedCall, Call, HeldCall } from '../pipeline/call.ts';
import { report } from '../quota/report.ts';
import { forgetTask, noteRefused, untaken } from './task-row.ts';

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
