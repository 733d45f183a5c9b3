import type { StoredObjectRow } from '@tollgate/db';
import { type ChatRequest, isObject, type JsonObject } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import { toCallerError } from '../pipeline/attempts.ts';
import { boundToKey } from '../routing/key-pool.ts';
import { Exchange } from '../upstream/exchange.ts';
import { lowerCased, placeOf, targetAt } from '../upstream/upstream-request.ts';

interface Wish {
  method: 'GET' | 'DELETE';
  /** What follows the id in the address, with what follows `?`. */
  rest?: string;
}

/**
 * Asks the provider that keeps a response, in the account of the channel that it is bound to. Resolves to its answer; undefined where it does not know it
 * any more. Throws: AppError, UpstreamError.
 */
export async function askKeeper(
  relay: Relay,
  call: Call,
  row: StoredObjectRow,
  { method, rest = '' }: Wish,
): Promise<JsonObject | undefined> {
  const channel = boundToKey(relay.table.channel(row.channelId ?? 0), row.keyId);
  const dialect = channel?.provider.responses;
  const isUsable = channel?.isEnabled === true && channel.expiresAtMs > relay.wallet.time();
  if (channel === undefined || dialect === undefined || !isUsable) throw new AppError('service_unavailable', {}, { retryAfterSeconds: 30 });
  const target = targetAt(call, channel, '');
  const id = row._id.slice(row._id.indexOf(':') + 1);
  const url = `${dialect.url({} as ChatRequest, target)}/${encodeURIComponent(id)}${rest}`;
  const way = channel.proxy === undefined ? relay.egress : relay.egress.through(channel.proxy);
  const { UPSTREAM_SILENCE_MS: withinMs, RELAY_MAX_ANSWER_BYTES: maxBytes } = relay.limits;
  const exchange = new Exchange(way.dispatcher, {
    ...placeOf(channel, { url, target }),
    method,
    headers: {
      ...channel.provider.headers(target),
      ...{ accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'tollgate' },
      ...lowerCased(channel.settings.header_override),
    },
    body: [],
    firstByteMs: withinMs,
    silenceMs: withinMs,
  });
  try {
    await exchange.answered;
    const body = (await exchange.whole({ maxBytes, withinMs })).toString('utf8');
    if (exchange.status === 404) return undefined;
    if (exchange.status !== 200) throw channel.provider.error({ status: exchange.status, body, headers: exchange.headers }, target.key);
    const answer: unknown = JSON.parse(body);
    if (!isObject(answer)) throw new AppError('upstream_bad_answer');
    return answer;
  } catch (error) {
    throw toCallerError(error instanceof SyntaxError ? new AppError('upstream_bad_answer') : error, channel);
  }
}
