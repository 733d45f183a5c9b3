import {
  type AnyDialect,
  cameAsStream,
  openStreamReading,
  readWhole,
  type Stamp,
  serverSentEvents,
  type WholeReading,
} from '@tollgate/providers';
import { stampOf } from '../ask/attempt.ts';
import type { Exchange } from '../ask/exchange.ts';
import { patienceFor } from '../ask/patience.ts';
import { polled } from '../ask/polled.ts';
import type { Forwarding } from '../ask/question.ts';
import type { AskedCall } from '../call/call.ts';
import type { RelayRoute } from '../call/route.ts';
import type { Relay } from '../process/relay.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';

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
  const { choices } = forwarding;
  let kept = 0;
  try {
    const said = await exchange.whole({
      maxBytes,
      withinMs,
      isLast: cameAsStream(dialect, nothing, contentType) ? endOf(dialect, { stamp: stampOf(call), choices }) : undefined,
      keep(bytes) {
        relay.openCalls.buffer(call, bytes * copies);
        kept += bytes * copies;
      },
    });
    const body = await polled(relay, call, { channel, dialect, body: said });
    return readWhole(dialect, body, {
      speaks: route.dialect.name,
      stamp: stampOf(call),
      thinkingToContent: channel.settings.thinking_to_content,
      usageBound: relay.settings.options.MaxUsageTokens,
      encodingFormat: forwarding.request.encoding_format,
      contentType,
      choices,
    });
  } catch (error) {
    relay.openCalls.letGo(call, kept);
    throw error;
  }
}

/** Tells where an answer ends that comes as a stream, which may be kept open behind its end. */
function endOf(dialect: AnyDialect, options: { stamp: Stamp; choices: number }): (bytes: Buffer) => boolean {
  const reader = (dialect.framing ?? serverSentEvents).open();
  const reading = openStreamReading(dialect, options);
  return (bytes) => {
    try {
      for (const frame of reader.push(bytes)) reading.read(frame);
      return reading.isDone;
    } catch {
      return true; // an error, which is told when the whole is read
    }
  };
}
