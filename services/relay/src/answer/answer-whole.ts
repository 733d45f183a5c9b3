import { readAnswer } from '@tollgate/providers';
import { type Forwarding, stampOf } from '../ask/attempt.ts';
import type { Exchange } from '../ask/exchange.ts';
import type { Call, CheckedCall } from '../call/call.ts';
import type { AnyDialect, AnyRequest } from '../call/route.ts';
import { report, wholeUsage } from '../money/report.ts';
import type { Relay } from '../process/relay.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { answerHeaders } from './respond.ts';

/**
 * Reads a whole answer, reports it, and only then sends it. From the moment it has come it is paid for, whether or not the
 * caller is still there. Throws: UpstreamError as long as nothing is reported; AppError `service_unavailable`.
 */
export async function answerWhole(
  relay: Relay,
  call: Call,
  attempt: { exchange: Exchange; channel: RoutedChannel; dialect: AnyDialect<AnyRequest>; forwarding: Forwarding },
): Promise<void> {
  const checked = call.checked as CheckedCall;
  call.whenGone(undefined); // the provider has begun to answer: it is read to its end
  const body = await attempt.exchange.whole(relay.limits.RELAY_MAX_ANSWER_BYTES);
  const answer = readAnswer(attempt.dialect, body, {
    stamp: stampOf(call),
    thinkingToContent: attempt.channel.settings.thinking_to_content,
    usageBound: relay.settings.options.MaxUsageTokens,
    encodingFormat: attempt.forwarding.request.encoding_format,
  });
  const { usage, usageSource } = wholeUsage(checked, answer.usage, answer.counted);
  const bytes = answer.bytes(usage);
  await report(relay, call, { usage, usageSource, endReason: call.isGone ? 'client_gone' : 'complete' }, { isDelivered: false });
  if (call.isGone) return;
  call.response.writeHead(200, answerHeaders(call, { 'content-type': 'application/json', 'content-length': bytes.length }));
  call.response.end(bytes);
}
