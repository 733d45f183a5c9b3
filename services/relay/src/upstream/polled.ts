import { setTimeout as delay } from 'node:timers/promises';
import type { AnyDialect, JsonObject } from '@tollgate/providers';
import type { Call } from '../context/call.ts';
import { upstreamFailure } from '../context/errors.ts';
import type { Relay } from '../context/relay.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { Exchange } from './exchange.ts';
import { placeOf } from './upstream-request.ts';

const longestNote = 256 * 1024;

interface Submitted {
  channel: RoutedChannel;
  polls: NonNullable<AnyDialect['polls']>;
  /** What the provider said to the request. */
  body: Buffer;
}

/**
 * The answer of a provider who takes a request and is asked again and again whether it is done. Whoever has left meanwhile has it drawn, and pays.
 * Throws: UpstreamError, also when it is not done in time.
 */
export async function polled(relay: Relay, call: Call, { channel, polls, body }: Submitted): Promise<Buffer> {
  const { UPSTREAM_POLL_MS: everyMs, UPSTREAM_FIRST_BYTE_MS: patienceMs } = relay.limits;
  const untilMs = performance.now() + patienceMs;
  let answer = body;
  let place: string | undefined;
  for (;;) {
    const told = objectIn(answer);
    const of = polls.place(told, channel.target);
    place ??= of;
    if (!polls.isRunning(told) && (of ?? place) === place) return answer;
    if (of === undefined || of !== place) throw upstreamFailure('unreadable', 'upstream_bad_answer'); // it speaks of somebody else's request
    if (performance.now() > untilMs) throw upstreamFailure('timeout', 'upstream_timeout');
    await delay(everyMs);
    answer = await look(relay, call, { channel, url: of });
  }
}

async function look(relay: Relay, call: Call, { channel, url }: { channel: RoutedChannel; url: string }): Promise<Buffer> {
  const target = { ...channel.target, model: call.upstreamModel };
  const way = channel.proxy === undefined ? relay.egress : relay.egress.through(channel.proxy);
  const exchange = new Exchange(way.dispatcher, {
    method: 'GET',
    ...placeOf(channel, { url, target }),
    headers: {
      ...channel.provider.headers(target),
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'tollgate',
    },
    body: [],
    firstByteMs: relay.limits.UPSTREAM_SILENCE_MS,
    silenceMs: relay.limits.UPSTREAM_SILENCE_MS,
  });
  await exchange.answered;
  const bytes = await exchange.whole({ maxBytes: longestNote, withinMs: relay.limits.UPSTREAM_SILENCE_MS });
  if (exchange.status === 200) return bytes;
  if (exchange.status === 404) throw upstreamFailure('unreadable', 'upstream_bad_answer'); // it has lost what it took
  throw channel.provider.error({ status: exchange.status, body: bytes.toString('utf8'), headers: exchange.headers }, channel.target.key);
}

function objectIn(bytes: Buffer): JsonObject {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as JsonObject;
  } catch {
    // told below
  }
  throw upstreamFailure('unreadable', 'upstream_bad_answer');
}
