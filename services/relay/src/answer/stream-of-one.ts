import { type JsonObject, readAnswer, toOpenAiUsage } from '@tollgate/providers';
import { type Forwarding, stampOf } from '../ask/attempt.ts';
import { type Exchange, upstreamFailure } from '../ask/exchange.ts';
import type { Call, CheckedCall } from '../call/call.ts';
import type { AnyDialect, AnyRequest } from '../call/route.ts';
import { report, wholeUsage } from '../money/report.ts';
import type { Relay } from '../process/relay.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import type { StreamWriter } from './stream-writer.ts';

/**
 * A stream was asked for and a whole answer came: an error, or the answer of a provider that does not stream. The caller gets
 * it as a stream of one chunk. Throws: UpstreamError as long as nothing is reported.
 */
export async function answerStreamOfOne(
  relay: Relay,
  call: Call,
  attempt: { exchange: Exchange; channel: RoutedChannel; dialect: AnyDialect<AnyRequest>; forwarding: Forwarding; writer: StreamWriter },
): Promise<void> {
  const { exchange, channel, dialect, forwarding, writer } = attempt;
  const checked = call.checked as CheckedCall;
  call.whenGone(undefined);
  const stamp = stampOf(call);
  const answer = readAnswer(dialect, await exchange.whole(relay.limits.RELAY_MAX_ANSWER_BYTES), {
    stamp,
    thinkingToContent: channel.settings.thinking_to_content,
    usageBound: relay.settings.options.MaxUsageTokens,
  });
  const { usage, usageSource } = wholeUsage(checked, answer.usage, answer.counted);
  const chunk = asOneChunk(JSON.parse(answer.bytes(usage).toString('utf8')) as JsonObject, forwarding.chunk);
  await report(relay, call, { usage, usageSource, endReason: call.isGone ? 'client_gone' : 'complete' }, { isDelivered: false });
  const events = [chunk];
  if (forwarding.request.stream_options?.include_usage) events.push({ ...chunk, choices: [], usage: toOpenAiUsage(usage) });
  writer.end(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`);
}

function asOneChunk(answer: JsonObject, object: Forwarding['chunk']): JsonObject {
  const { usage: _usage, choices, ...rest } = answer;
  if (!Array.isArray(choices) || choices.length === 0) throw upstreamFailure('unreadable', 'upstream_bad_answer');
  const pieces = (choices as JsonObject[]).map(({ message, ...choice }) =>
    message === undefined ? choice : { ...choice, delta: message },
  );
  return { ...rest, object, choices: pieces };
}
