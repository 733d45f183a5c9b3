import type { Usage } from '@tollgate/contracts';
import { streamOfOne, type WholeReading } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Relay } from '../context/relay.ts';
import type { AskedCall } from '../pipeline/call.ts';
import { report, wholeUsage } from '../quota/report.ts';
import { stampOf } from '../upstream/attempt.ts';
import { upstreamFailure } from '../upstream/upstream-failure.ts';
import { endOf } from './answer-whole.ts';
import { withCallersTools } from './original-tool-names.ts';
import { namingRequestedModel } from './requested-model.ts';
import type { StreamWriter } from './stream-writer.ts';
import { untilTaken } from './wait-for-drain.ts';
import { type WholeAttempt, wholeBody } from './whole-body.ts';

/**
 * A stream was asked for and a whole answer came: an error, or the answer of a provider that does not stream. The caller gets
 * it as a stream of one chunk and its end. Throws: UpstreamError as long as nothing is reported; AppError `sensitive_words_detected`.
 */
export async function answerStreamOfOne(relay: Relay, call: AskedCall, attempt: WholeAttempt & { writer: StreamWriter }): Promise<void> {
  const { route, writer } = attempt;
  call.whenGone(undefined);
  const whole = withCallersTools(await wholeBody(relay, call, attempt), call);
  const { usage, usageSource } = wholeUsage(call.checked, {
    usage: whole.usage,
    isUsageLast: whole.isUsageLast,
    delivered: whole.counted(),
  });
  const text = route.asEvents?.(whole, usage) ?? textOfOne(call, { whole, usage, attempt });
  const endReason = endOf(relay, call, whole.answer);
  await report(relay, call, { usage, usageSource, endReason }, { isDelivered: false });
  if (endReason === 'sensitive') throw new AppError('sensitive_words_detected');
  writer.end(text);
  await untilTaken(relay, call);
}

/** Throws: UpstreamError when the answer has no choices. */
function textOfOne(call: AskedCall, { whole, usage, attempt }: { whole: WholeReading; usage: Usage; attempt: WholeAttempt }): string {
  const { route, forwarding } = attempt;
  const one = streamOfOne(whole.answer, stampOf(call));
  if (one === undefined) throw upstreamFailure('unreadable', 'upstream_bad_answer');
  const inDialect = route.writer(one.reading, { request: forwarding.request, sent: forwarding.sent?.json ?? {}, isSame: false });
  const words = namingRequestedModel(inDialect, call);
  return `${words.chunks(one.chunks) ?? ''}${words.end(usage)}`;
}
