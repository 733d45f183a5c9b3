import { setTimeout as delay } from 'node:timers/promises';
import { type FailedAttempt, promptTokensOf, type Usage, type UsageRecorded, usageRecordedVersion } from '@tollgate/contracts';
import { quotaOf, recorded } from '@tollgate/pricing';
import { type Delivered, notBelow, type UsageReading } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { AskedCall, Checked, Hold } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import type { Bill } from '../context/terms.ts';
import { affinityOf } from '../routing/conversation.ts';
import { chargedUses } from './hosted-tools.ts';
import { reportedTokens } from './limits.ts';
import { priceFor } from './priced-fields.ts';

/** How long an answer waits for Redis to take its report. */
const reportWaitMs = 10_000;

/** What a call came to. */
export interface Outcome extends Bill {
  endReason: UsageRecorded['endReason'] | NonNullable<UsageRecorded['endedFor']>;
}

/** What is known of an answer's usage: the provider's bill, whether it is the answer's last word, and our own count. */
interface Counts {
  usage: UsageReading | undefined;
  isUsageLast: boolean;
  delivered: Delivered;
}

/**
 * The bill of an answer that came whole: the provider's count, never less than what was delivered; ours when there is none, an
 * estimate when it cannot be true.
 */
export function wholeUsage(call: Checked, { usage: stated, isUsageLast, delivered }: Counts): Bill {
  if (call.bill !== undefined) return call.bill(stated, delivered);
  if (stated?.trusted) {
    const raised = notBelow(delivered, stated.usage, { isLast: isUsageLast, isSummed: stated.isSummed });
    return withUses(call, { ...believed(call, stated.usage, raised), served: stated.served }, undefined);
  }
  return withUses(
    call,
    { usage: ownCount(call, delivered), usageSource: stated === undefined ? 'counted' : 'estimated' },
    delivered.searches,
  );
}

/** The bill of an answer that broke off: the provider's count unless less than what was delivered stands in it. */
export function partialUsage(call: Checked, stated: UsageReading | undefined, delivered: Delivered): Bill {
  if (call.bill !== undefined) return call.bill(stated, delivered);
  const bill: Bill = stated?.trusted
    ? { ...believed(call, stated.usage, notBelow(delivered, stated.usage, { isLast: false })), served: stated.served }
    : { usage: ownCount(call, delivered), usageSource: 'estimated' };
  return withUses(call, bill, delivered.searches);
}

/** The uses of the provider's tools that are charged; `seen`: searches that an answer has shown. */
function withUses(call: Checked, bill: Bill, seen: number | undefined): Bill {
  const usage = chargedUses(bill.usage, call.hosted, seen);
  return usage === bill.usage ? bill : { ...bill, usage };
}

/** A provider that names no prompt was sent one all the same. */
function believed(call: Checked, stated: Usage, raised: Usage): Bill {
  if (promptTokensOf(stated) === 0) return { usage: { ...call.promptEstimate, ...outputOf(raised) }, usageSource: 'estimated' };
  return { usage: raised, usageSource: raised === stated ? 'upstream' : 'estimated' };
}

function ownCount(call: Checked, { textOutput, reasoningOutput }: Delivered): Usage {
  return { ...call.promptEstimate, textOutput, reasoningOutput };
}

function outputOf({
  textOutput,
  reasoningOutput,
  audioOutput,
  imageOutput,
}: Usage): Pick<Usage, 'textOutput' | 'reasoningOutput' | 'audioOutput' | 'imageOutput'> {
  return { textOutput, reasoningOutput, audioOutput, ...(imageOutput && { imageOutput }) };
}

/** The event that will be charged. */
export function usageEvent(call: AskedCall, outcome: Outcome): UsageRecorded {
  const { checked, channel } = call;
  const { caller } = checked;
  const price = priceFor(call, outcome);
  const endedFor = outcome.endReason === 'sensitive' ? outcome.endReason : undefined;
  return {
    version: usageRecordedVersion,
    id: call.id,
    at: call.atMs,
    userId: caller.userId,
    username: caller.username,
    tokenId: caller.tokenId,
    tokenName: checked.tokenName,
    group: checked.group,
    mode: checked.mode,
    model: checked.model,
    upstreamModel: call.upstreamModel,
    channelId: channel.id,
    channelName: channel.name,
    keyId: channel.chosenKey?.id,
    triedChannels: call.triedChannels,
    isStream: checked.isStream,
    durationMs: Math.round(call.elapsedMs),
    firstTokenMs: call.firstTokenMs,
    ...recorded(outcome.usage, price),
    usageSource: outcome.usageSource,
    endReason: outcome.endReason === 'sensitive' ? 'complete' : outcome.endReason,
    endedFor,
    quota: quotaOf(outcome.usage, price),
    uncollected: 0,
    reasoningEffort: call.effort,
    changes: call.changes,
    sessionId: checked.sessionId,
    budgets: call.hold.heldBudgets?.uses,
    affinity: affinityOf(call, channel),
    ...(call.failedAttempts !== undefined && explained(call, call.failedAttempts)),
  };
}

const longestMessage = 300;

/** How the call came to its channel, where another was tried before. */
function explained({ plan }: AskedCall, failed: readonly FailedAttempt[]): Pick<UsageRecorded, 'attempts' | 'passedOver'> {
  const attempts = failed.map(({ message, ...attempt }) => ({ ...attempt, message: message.slice(0, longestMessage) }));
  const passedOver = plan?.passedOver(performance.now()).filter(({ reason }) => reason !== 'not_needed') ?? [];
  return { attempts, ...(passedOver.length > 0 && { passedOver }) };
}

/**
 * Writes a call's bill into its hold, where it waits for billing, and sends it on. The answer's last bytes wait for this: a
 * relay that dies after it loses nothing, one that dies before it has answered nothing whole. Where replicas are waited for, they wait for
 * those, too, and go on without them in the end.
 * Throws: AppError `service_unavailable` when Redis does not take it in time. What was delivered is then tried on behind the
 * caller's back; an answer of which nothing went out is dropped, its hold ends by itself.
 */
export async function report(relay: Relay, call: AskedCall, outcome: Outcome, { isDelivered }: { isDelivered: boolean }): Promise<void> {
  const { hold } = call;
  call.outcome = outcome;
  const event = usageEvent(call, outcome);
  call.trace?.phase('report');
  relay.metrics.billBegins();
  try {
    await reportOnce(relay, hold, event);
    relay.metrics.billEnds();
  } catch (error) {
    relay.logger.warn({ requestId: call.id, err: error }, 'a report was not taken, trying again');
    const reported = reportUntilTaken(relay, hold, { event, patienceMs: isDelivered ? longestPatienceMs : reportWaitMs }).finally(
      relay.metrics.billEnds,
    );
    const isTaken = await Promise.race([reported, delay(reportWaitMs, false, { ref: false })]);
    if (!isTaken) {
      finish(relay, hold); // nothing may release it now: Redis may have taken it after all
      throw new AppError('service_unavailable', {}, { cause: error, retryAfterSeconds: 5 });
    }
  }
  finish(relay, hold);
  call.charged = event.quota - event.uncollected;
  relay.metrics.reported(event);
  if (event.keyId !== undefined) relay.keyCounts.spent(call.channel, event.quota);
  if (relay.replication !== undefined) await relay.replication.reached();
}

function finish(relay: Relay, hold: Hold): void {
  hold.isOver = true;
  relay.turns.ended(hold.userId);
}

async function reportOnce(relay: Relay, hold: Hold, event: UsageRecorded): Promise<void> {
  const { leases } = hold;
  const reported = await relay.wallet.report(hold, event, leases && { leases, end: reportedTokens(event.usage) });
  if (!reported.accepted) return; // a sweep was quicker: its event stands
  event.uncollected = reported.uncollected;
  relay.publisher.pushEncoded(String(event.userId), reported.json);
}

const longestPatienceMs = 300_000;

/** Redis may be away for minutes. When it stays away the event goes straight to the bus; charged twice it cannot be, its id is one. */
async function reportUntilTaken(relay: Relay, hold: Hold, report: { event: UsageRecorded; patienceMs: number }): Promise<boolean> {
  const { event, patienceMs } = report;
  const giveUpAt = performance.now() + patienceMs;
  for (let pauseMs = 100; performance.now() < giveUpAt; pauseMs = Math.min(pauseMs * 2, 5_000)) {
    await delay(pauseMs, undefined, { ref: false });
    try {
      await reportOnce(relay, hold, event);
      return true;
    } catch (error) {
      relay.logger.warn({ requestId: hold.requestId, err: error }, 'a report was not taken');
    }
  }
  if (patienceMs < longestPatienceMs) return false;
  relay.logger.error({ requestId: hold.requestId }, 'a report was never taken, it goes to the bus alone');
  return relay.publisher.push(String(event.userId), event);
}
