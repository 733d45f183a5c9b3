import type { JsonObject } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import type { AskedCall } from '../pipeline/call.ts';
import { type Outcome, report, wholeUsage } from '../quota/report.ts';
import { hasWordIn } from './answer-words.ts';
import { withCallersTools } from './original-tool-names.ts';
import { withRequestedModel } from './requested-model.ts';
import { answerHeaders } from './respond.ts';
import { untilTaken } from './wait-for-drain.ts';
import { type WholeAttempt, wholeBody } from './whole-body.ts';

/**
 * Reads a whole answer, reports it, and only then sends it. From the moment it has come it is paid for, whether or not the
 * caller is still there. Throws: UpstreamError as long as nothing is reported; AppError `service_unavailable`, `sensitive_words_detected`.
 */
export async function answerWhole(relay: Relay, call: AskedCall, attempt: WholeAttempt): Promise<void> {
  call.whenGone(undefined); // the provider has begun to answer: it is read to its end
  const answer = withCallersTools(await wholeBody(relay, call, attempt), call);
  const { usage, usageSource } = wholeUsage(call.checked, {
    usage: answer.usage,
    isUsageLast: answer.isUsageLast,
    delivered: answer.counted(),
  });
  const { route, forwarding } = attempt;
  const sent = forwarding.sent?.json ?? {};
  const contentType = route.typeOf?.(answer, sent) ?? answer.contentType ?? 'application/json';
  const whole = route.whole(answer, usage, sent);
  const bytes = contentType === 'application/json' ? withRequestedModel(whole, call) : whole;
  const endReason = endOf(relay, call, answer.answer);
  await report(relay, call, { usage, usageSource, endReason }, { isDelivered: false });
  if (call.isGone) return;
  if (endReason === 'sensitive') throw new AppError('sensitive_words_detected');
  call.response.writeHead(200, answerHeaders(call, { 'content-type': contentType, 'content-length': bytes.length }));
  call.response.end(bytes);
  const taking = untilTaken(relay, call);
  if (taking !== undefined) await taking;
}

/** Why an answer ends that came whole. One that holds a sensitive word is paid, and kept from the caller. */
export function endOf({ settings: { stopsAnswer } }: Relay, { isGone }: AskedCall, answer: JsonObject): Outcome['endReason'] {
  if (isGone) return 'client_gone';
  return stopsAnswer !== undefined && hasWordIn(answer, stopsAnswer) ? 'sensitive' : 'complete';
}
