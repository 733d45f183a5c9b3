import { type AnyDialect, CollectedStream, cameAsStream, readWhole, type WholeReading } from '@tollgate/providers';
import type { Relay } from '../context/relay.ts';
import type { AskedCall } from '../pipeline/call.ts';
import type { RelayRoute } from '../pipeline/route.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { stampOf } from '../upstream/attempt.ts';
import type { Exchange } from '../upstream/exchange.ts';
import { polled } from '../upstream/polled.ts';
import { patienceFor } from '../upstream/timeouts.ts';
import type { Forwarding } from '../upstream/upstream-request.ts';

export interface WholeAttempt {
  exchange: Exchange;
  channel: RoutedChannel;
  route: RelayRoute;
  dialect: AnyDialect;
  forwarding: Forwarding;
}

/** Pieces, the whole of them, and what is read in it: each byte of an answer is kept so often while it is worked on. */
const copies = 3;
const nothing = Buffer.alloc(0);

/**
 * A provider's whole answer, read to its end whether or not the caller is still there. It counts as what calls keep in memory.
 * Throws: UpstreamError; AppError `service_unavailable` when all calls keep too much.
 */
export async function wholeBody(relay: Relay, call: AskedCall, attempt: WholeAttempt): Promise<WholeReading> {
  const { exchange, channel, route, dialect, forwarding } = attempt;
  const { RELAY_MAX_ANSWER_BYTES: maxBytes } = relay.limits;
  const { firstByteMs: withinMs } = patienceFor(relay.limits, call);
  const contentType = exchange.headers['content-type'];
  const options = {
    speaks: route.dialect.name,
    stamp: stampOf(call),
    thinkingToContent: channel.settings.thinking_to_content,
    usageBound: relay.settings.options.MaxUsageTokens,
    encodingFormat: forwarding.request.encoding_format,
    contentType,
    choices: forwarding.choices,
  };
  let kept = 0;
  try {
    const begins = isJson(contentType) ? nothing : await exchange.beginning();
    const stream = cameAsStream(dialect, { begins, contentType }) ? new CollectedStream(dialect, options) : undefined;
    const said = await exchange.whole({
      maxBytes,
      withinMs,
      isLast: stream && ((bytes) => stream.push(bytes)),
      keep(bytes) {
        relay.openCalls.buffer(call, bytes * copies);
        kept += bytes * copies;
      },
    });
    const { polls } = dialect;
    const reading =
      stream?.whole() ??
      readWhole(dialect, polls === undefined ? said : await polled(relay, call, { channel, polls, body: said }), options);
    call.isUsageStated ||= reading.usage?.trusted === true;
    return reading;
  } catch (error) {
    relay.openCalls.letGo(call, kept);
    throw error;
  }
}

function isJson(contentType = ''): boolean {
  return contentType.startsWith('application/json');
}
