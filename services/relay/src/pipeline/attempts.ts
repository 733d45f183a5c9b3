import type { Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { type AnyDialect, isReasoningRefused, UpstreamError } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { AskedCall, Call, HeldCall } from '../context/call.ts';
import { noteChange } from '../context/changes.ts';
import { CallerLeft } from '../context/errors.ts';
import type { Relay } from '../context/relay.ts';
import type { RelayRoute } from '../context/route.ts';
import { answerBytes } from '../response/answer-bytes.ts';
import { answerStreamed } from '../response/answer-streamed.ts';
import { answerStreamOfOne, answerWhole } from '../response/answer-whole.ts';
import type { StreamWriter } from '../response/stream-writer.ts';
import type { Attempt } from '../routing/breaker.ts';
import type { ChannelPlan } from '../routing/channel-plan.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { giveBack } from '../routing/key-pool.ts';
import { isTokenSpent } from '../upstream/access-tokens.ts';
import { ask, isFaultOfChannel, isStream } from '../upstream/attempt.ts';
import type { Exchange } from '../upstream/exchange.ts';
import { type Forwarding, targetOf } from '../upstream/upstream-request.ts';

/** A caller who has left resets what is sent to them (a 102, http-door.ts) within this. */
const resetMs = 50;
const tickMs = 250;
/** Of a stall that long, callers who left meanwhile show themselves only when the sockets are read. */
const stallMs = 500;
const afterStallMs = 5_000;

let tickedAt = performance.now();
let stalledAt = Number.NEGATIVE_INFINITY;
setInterval(() => {
  const now = performance.now();
  if (now - tickedAt > tickMs + stallMs) stalledAt = now;
  tickedAt = now;
}, tickMs).unref();

/**
 * Asks whether the caller of a call is still there, before a provider is asked for them. undefined: they are. Throws, or rejects: CallerLeft.
 * It takes time only for a caller who has ended their side of the connection, and for all of them right after this process stood still.
 */
function callerIsThere(call: Pick<Call, 'isGone' | 'request'>): Promise<void> | undefined {
  if (call.isGone) throw new CallerLeft();
  const { socket } = call.request;
  if (!socket.readableEnded && performance.now() - stalledAt > afterStallMs && performance.now() - tickedAt < tickMs + stallMs)
    return undefined;
  return lookAgain(call, socket);
}

async function lookAgain(call: Pick<Call, 'isGone'>, socket: Socket): Promise<void> {
  await nextTurn(); // what has arrived meanwhile is read
  await nextTurn();
  if (socket.readableEnded && !call.isGone) {
    await delay(resetMs);
    await nextTurn(); // a busy loop comes to its timers before it reads
    await nextTurn();
  }
  if (call.isGone || socket.destroyed) throw new CallerLeft();
}

interface Attempts {
  route: RelayRoute;
  forwarding: Forwarding;
  plan: ChannelPlan;
  /** How many channels may be tried. */
  most: number;
  /** The caller's side, when the answer is streamed. */
  writer: StreamWriter | undefined;
}

/**
 * Tries channels until one answers. The next one is tried only before the first byte of an answer is out, and only when the
 * failure was not the request's own. Throws CallerLeft before an attempt whose caller has gone, else what the last one said, in words for the caller.
 */
export function firstAnswer(relay: Relay, call: HeldCall, attempts: Attempts): Promise<void> {
  return firstOf(relay, call, {
    ...attempts,
    isWorthAnother: (error) => isRetryable(error) || isTimeoutOfKey(call, error),
    ask: (asked, next) => {
      const answer = next.channel.provider.token === undefined ? answerFrom : answerWithToken;
      return withReadableReasoning(asked, attempts.forwarding, () => answer(relay, asked, { ...attempts, ...next }));
    },
  });
}

interface Tries<Tried extends Call, Answer, Spoken> {
  plan: ChannelPlan<Spoken>;
  most: number;
  ask(call: Tried & { channel: RoutedChannel }, next: { channel: RoutedChannel; dialect: Spoken }): Promise<Answer>;
  /**
   * What an answer means where not every answer ends the search: `next` tries another channel, an error counts as a failure of this one.
   * The last answer is returned when no channel is left.
   */
  verdict?(answer: Answer): 'accepted' | 'next' | UpstreamError;
  /** Whether another channel may succeed after this error. */
  isWorthAnother?(error: unknown): boolean;
  /** The search goes on when the caller disconnects: what a channel accepts must be recorded. */
  outlivesCaller?: boolean;
}

/** Tries channels in the order of the plan until one accepts, whatever a channel is called for. Throws as `firstAnswer` does. */
export async function firstOf<Tried extends Call, Answer, Spoken = AnyDialect>(
  relay: Relay,
  call: Tried,
  { plan, most, ask: askOne, verdict, isWorthAnother = isRetryable, outlivesCaller = false }: Tries<Tried, Answer, Spoken>,
): Promise<Answer> {
  let last: { answer: Answer } | { error: unknown } | undefined;
  call.plan = plan;
  let [tries, refusedKeys, wasKeys] = [0, 0, false];
  while (tries < most) {
    const looking = outlivesCaller ? undefined : callerIsThere(call);
    if (looking !== undefined) await looking;
    const next = await plan.next(performance.now(), wasKeys);
    if (next === undefined) break;
    const { channel, dialect, attempt } = next;
    if (last !== undefined) relay.records.failedOver(call);
    call.attemptAt = attempt.begunMs;
    const asked = Object.assign(call, { channel });
    call.restMs = 0;
    const { chosenKey } = channel;
    call.triedChannels.push(channel.id);
    call.trace?.phase('attempt', { 'tollgate.channel_id': channel.id });
    try {
      const answer = await askOne(asked, { channel, dialect });
      const found = verdict === undefined ? 'accepted' : verdict(answer);
      const nowMs = performance.now();
      if (found instanceof UpstreamError) note(relay, call, { channel, attempt, error: found, isGone: false });
      else {
        relay.breakers.succeeded(attempt, nowMs);
        if (call.restMs > 0) relay.breakers.pause(attempt, nowMs, call.restMs);
        relay.records.answered(asked, nowMs);
        if (chosenKey !== undefined) relay.keyCounts.answered(channel, nowMs - attempt.begunMs);
      }
      if (found === 'accepted') return answer;
      last = { answer };
      wasKeys = isFaultOfKey(channel, found);
    } catch (error) {
      last = { error };
      const isGone = call.isGone && !outlivesCaller;
      note(relay, call, { channel, attempt, error, isGone });
      if (isGone || !isWorthAnother(error)) break;
      wasKeys = isFaultOfKey(channel, error);
    } finally {
      giveBack(channel);
    }
    // A key that is refused at once costs the caller next to nothing: it takes no try away from channels.
    if (wasKeys && refusedKeys < mostRefusedKeys) refusedKeys += 1;
    else tries += 1;
  }
  if (last === undefined) throw plan.refusal(performance.now());
  if ('error' in last) throw toCallerError(last.error, call.channel);
  return last.answer;
}

const mostRefusedKeys = 20;
const faultsOfKeys = new Set(['credentials', 'balance', 'rate_limit']);

/** Whether another key of the same channel may well be served. */
function isFaultOfKey({ chosenKey }: RoutedChannel, error: unknown): boolean {
  return chosenKey !== undefined && error instanceof UpstreamError && faultsOfKeys.has(error.kind);
}

const repeatableModes = new Set(['chat', 'embeddings', 'rerank']);

/** One of several keys that does not answer is often alone in it. What may cost much if it is done twice is not sent again. */
function isTimeoutOfKey({ channel, checked }: HeldCall, error: unknown): boolean {
  const isTimeout = error instanceof UpstreamError && error.kind === 'timeout';
  return isTimeout && channel?.chosenKey !== undefined && repeatableModes.has(checked.mode);
}

/** Reasoning of earlier turns that the provider refuses is left out, and the request is sent once more. */
async function withReadableReasoning(call: AskedCall, forwarding: Forwarding, answer: () => Promise<void>): Promise<void> {
  try {
    await answer();
  } catch (error) {
    if (call.isGone || forwarding.withoutReasoning || !(error instanceof UpstreamError) || !isReasoningRefused(error)) throw error;
    forwarding.withoutReasoning = true;
    noteChange(call, 'reasoning', 'removed (refused by the provider)');
    await answer();
  }
}

/** A token that the provider does not take any more is replaced once. */
async function answerWithToken(relay: Relay, call: AskedCall, attempt: Parameters<typeof answerFrom>[2]): Promise<void> {
  try {
    await answerFrom(relay, call, attempt);
  } catch (error) {
    if (call.isGone || !isTokenSpent(attempt.channel.provider, error)) throw error;
    await relay.accessTokens.drop(targetOf(call, attempt));
    await answerFrom(relay, call, attempt);
  }
}

async function answerFrom(
  relay: Relay,
  call: AskedCall,
  attempt: Attempts & { channel: RoutedChannel; dialect: AnyDialect },
): Promise<void> {
  const { writer } = attempt;
  const exchange = await ask(relay, call, attempt);
  if (isBytes(exchange, attempt)) await answerBytes(relay, call, { ...attempt, exchange });
  else if (writer === undefined) await answerWhole(relay, call, { ...attempt, exchange });
  else if (await isStream(exchange, attempt.dialect)) await answerStreamed(relay, call, { ...attempt, exchange, writer });
  else await answerStreamOfOne(relay, call, { ...attempt, exchange, writer });
}

/** Sound, where it was asked for and came as such; an error or a sound inside JSON is read. */
function isBytes({ headers }: Exchange, { route, writer }: Attempts): boolean {
  return route.rules.answersIn !== undefined && writer === undefined && !/json|html/i.test(headers['content-type'] ?? '');
}

function isRetryable(error: unknown): boolean {
  if (error instanceof UpstreamError) return error.retryable;
  return error instanceof AppError && error.code === 'egress_refused';
}

interface Failed {
  channel: RoutedChannel;
  attempt: Attempt;
  error: unknown;
  /** The caller left, so the error says nothing about the channel. */
  isGone: boolean;
}

/** Notes a failed attempt for the breaker, the log and the call's record. */
function note(relay: Relay, call: Call, { channel, attempt, error, isGone }: Failed): void {
  const isUpstreams = error instanceof UpstreamError;
  call.trace?.failed(isUpstreams ? error.kind : 'failed');
  if (isGone || !isUpstreams || !isFaultOfChannel(error)) {
    relay.breakers.ended(attempt);
  } else {
    const { retryAfterMs: pauseMs, disablesChannel: isRefused } = error;
    relay.breakers.failed(attempt, { nowMs: performance.now(), pauseMs, isRefused, isLimited: error.kind === 'rate_limit' });
    if (channel.chosenKey !== undefined) relay.keyCounts.failed(channel);
    relay.channelFailed(channel, error);
  }
  relay.records.attemptFailed(call, channel, error);
  if (isGone) return;
  relay.metrics.attemptFailed(channel.id);
  const kind = isUpstreams ? error.kind : undefined;
  const level = isUpstreams || error instanceof AppError ? 'warn' : 'error';
  relay.logger[level](
    { requestId: call.id, channelId: channel.id, kind, status: isUpstreams ? error.status : undefined, err: error },
    'attempt failed',
  );
}

/**
 * What the caller is told. A provider that does not take our key, or our money, is our trouble: the caller's own key is good.
 * The channel may map a status to another one.
 */
export function toCallerError(error: unknown, channel: RoutedChannel | undefined): unknown {
  if (!(error instanceof UpstreamError)) return error;
  const { kind, message, type, param, code, retryAfterMs, failedGeneration } = error;
  const mapped = channel?.statusMapping.get(error.status);
  if (error.disablesChannel) {
    const words = 'The upstream provider refused the account of this channel';
    return new UpstreamError({ kind, status: mapped ?? 502, message: words, code: 'upstream_error' });
  }
  return mapped === undefined
    ? error
    : new UpstreamError({ kind, status: mapped, message, type, param, code, retryAfterMs, failedGeneration });
}
