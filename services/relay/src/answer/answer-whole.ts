import type { AskedCall } from '../call/call.ts';
import { report, wholeUsage } from '../money/report.ts';
import type { Relay } from '../process/relay.ts';
import { answerHeaders } from './respond.ts';
import { untilTaken } from './until-taken.ts';
import { type WholeAttempt, wholeBody } from './whole-body.ts';

/**
 * Reads a whole answer, reports it, and only then sends it. From the moment it has come it is paid for, whether or not the
 * caller is still there. Throws: UpstreamError as long as nothing is reported; AppError `service_unavailable`.
 */
export async function answerWhole(relay: Relay, call: AskedCall, attempt: WholeAttempt): Promise<void> {
  call.whenGone(undefined); // the provider has begun to answer: it is read to its end
  const answer = await wholeBody(relay, call, attempt);
  const { usage, usageSource } = wholeUsage(call.checked, {
    usage: answer.usage,
    isUsageLast: true,
    delivered: answer.counted(),
  });
  const { route, forwarding } = attempt;
  const sent = forwarding.sent?.json ?? {};
  const bytes = route.whole(answer, usage, sent);
  const contentType = route.typeOf?.(answer, sent) ?? answer.contentType ?? 'application/json';
  await report(relay, call, { usage, usageSource, endReason: call.isGone ? 'client_gone' : 'complete' }, { isDelivered: false });
  if (call.isGone) return;
  call.response.writeHead(200, answerHeaders(call, { 'content-type': contentType, 'content-length': bytes.length }));
  call.response.end(bytes);
  await untilTaken(relay, call);
}
