import { type JsonObject, toOpenAiUsage } from '@tollgate/providers';
import type { Forwarding } from '../ask/attempt.ts';
import { upstreamFailure } from '../ask/exchange.ts';
import type { Call, CheckedCall } from '../call/call.ts';
import { report, wholeUsage } from '../money/report.ts';
import type { Relay } from '../process/relay.ts';
import type { StreamWriter } from './stream-writer.ts';
import { untilTaken } from './until-taken.ts';
import { type WholeAttempt, wholeBody } from './whole-body.ts';

/**
 * A stream was asked for and a whole answer came: an error, or the answer of a provider that does not stream. The caller gets
 * it as a stream of one chunk. Throws: UpstreamError as long as nothing is reported.
 */
export async function answerStreamOfOne(relay: Relay, call: Call, attempt: WholeAttempt & { writer: StreamWriter }): Promise<void> {
  const { forwarding, writer } = attempt;
  call.whenGone(undefined);
  const answer = await wholeBody(relay, call, attempt);
  const { usage, usageSource } = wholeUsage(call.checked as CheckedCall, {
    usage: answer.usage,
    isUsageLast: true,
    delivered: answer.counted(),
  });
  const chunk = asOneChunk(JSON.parse(answer.bytes(usage).toString('utf8')) as JsonObject, forwarding.chunk);
  await report(relay, call, { usage, usageSource, endReason: call.isGone ? 'client_gone' : 'complete' }, { isDelivered: false });
  const events = [chunk];
  if (forwarding.request.stream_options?.include_usage) events.push({ ...chunk, choices: [], usage: toOpenAiUsage(usage) });
  writer.end(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`);
  await untilTaken(relay, call);
}

function asOneChunk(answer: JsonObject, object: Forwarding['chunk']): JsonObject {
  const { usage: _usage, choices, ...rest } = answer;
  if (!Array.isArray(choices) || choices.length === 0) throw upstreamFailure('unreadable', 'upstream_bad_answer');
  const pieces = (choices as JsonObject[]).map(({ message, ...choice }) =>
    message === undefined ? choice : { ...choice, delta: message },
  );
  return { ...rest, object, choices: pieces };
}
