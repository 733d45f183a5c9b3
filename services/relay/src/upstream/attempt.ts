import { promptTokensOf } from '@tollgate/contracts';
import { factsOf } from '@tollgate/contracts/catalog';
import { type AnyDialect, type Stamp, serverSentEvents, type UpstreamError } from '@tollgate/providers';
import { AppError, egressRefused } from '@tollgate/runtime';
import type { Limits } from '../config.ts';
import type { AskedCall, Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { Exchange } from './exchange.ts';
import { filesFor, holdsAddresses } from './remote-files.ts';
import { type Asking, type Forwarding, placeOf, type Question, questionFor, signed, targetOf } from './upstream-request.ts';
import type { Transport } from './web-socket.ts';

/** Words in the names of models that think long before they answer, whoever makes them; the catalog knows the others. */
const slowWords = /deep-research|reason|think/i;
const slowEfforts = new Set(['high', 'xhigh', 'max']);

function isSlowModel(model: string): boolean {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return factsOf(name.split(':', 1)[0] ?? name)?.rules.slow === true;
}

/** How long a provider may be silent in this call: twice as long where the model is known to think for long. */
export function patienceFor(limits: Limits, { upstreamModel, effort = '' }: AskedCall): { firstByteMs: number; silenceMs: number } {
  const isSlow = slowWords.test(upstreamModel) || isSlowModel(upstreamModel) || slowEfforts.has(effort);
  const times = isSlow ? 2 : 1;
  return { firstByteMs: limits.UPSTREAM_FIRST_BYTE_MS * times, silenceMs: limits.UPSTREAM_SILENCE_MS * times };
}

const longestErrorBody = 64 * 1024;
const errorBodyMs = 10_000;

/**
 * Asks one channel. Resolves when it has begun to answer with status 200; the body is still to be read. A connection that was
 * kept from an earlier call may be closed by its other end just when it is used: then it is asked once more on a new one.
 * Throws: UpstreamError, AppError `egress_refused`, `invalid_request`.
 */
export async function ask(relay: Relay, call: AskedCall, attempt: Asking): Promise<Exchange> {
  const { channel } = attempt;
  const { provider } = channel;
  const target = targetOf(call, attempt);
  if (attempt.dialect.outputLimit !== undefined) {
    target.maxOutput = relay.settings.maxOutput(target.model);
    target.promptTokens = promptTokensOf(call.checked.promptEstimate);
  }
  if (provider.token !== undefined) target.token = await relay.accessTokens.of(provider.token, target, channel.proxy);
  const files = holdsAddresses(call) ? filesFor(relay, call, attempt) : undefined;
  if (files !== undefined) target.files = await files;
  const unsigned = questionFor(call, attempt, target);
  const question = provider.sign === undefined ? unsigned : await signed(unsigned, channel, relay.wallet.time());
  for (let isAgain = false; ; isAgain = true) {
    const exchange = send(relay, call, { ...attempt, question, isAgain });
    call.whenGone(() => exchange.abort());
    try {
      await exchange.answered;
    } catch (error) {
      if (exchange.wasCutBeforeAnswer && !call.isGone && !isAgain) continue;
      throw isRefusedByEgress(error) ? egressRefused(`of channel ${channel.id}`) : error;
    }
    if (exchange.status === 200) return exchange;
    throw await statedFailure(relay, exchange, channel);
  }
}

function isRefusedByEgress(error: unknown): boolean {
  return error instanceof AppError && error.code === 'egress_refused';
}

async function statedFailure(relay: Relay, exchange: Exchange, { provider, target }: RoutedChannel): Promise<UpstreamError> {
  const body = await exchange.whole({ maxBytes: longestErrorBody, withinMs: errorBodyMs });
  const answer = { status: exchange.status, body: body.toString('utf8'), headers: exchange.headers, atMs: relay.wallet.time() };
  return provider.error(answer, target.key);
}

/** Another provider will not be asked: what was kept for it is let go of, a prompt may be long and an answer take minutes. */
export function letGoOfRequest(relay: Relay, call: Call, forwarding: Forwarding): void {
  const { model, stream, stream_options } = forwarding.request;
  forwarding.request = { model, stream, stream_options };
  forwarding.sent = undefined;
  relay.openCalls.letGo(call, call.bufferedBytes);
}

interface Sending {
  channel: RoutedChannel;
  dialect: AnyDialect;
  question: Question;
  /** On a new connection. */
  isAgain: boolean;
}

function send(relay: Relay, call: AskedCall, sending: Sending): Exchange {
  const { channel, question } = sending;
  const { origin, path } = placeOf(channel, question);
  const { firstByteMs, silenceMs } = patienceFor(relay.limits, call);
  const { headers, body } = question;
  return new Exchange(transportOf(relay, sending), { origin, path, headers, body, firstByteMs, silenceMs });
}

/** What carries a question. A channel with a proxy is never called by another way. */
function transportOf({ egress, webSockets }: Relay, { channel, dialect, isAgain }: Sending): Transport {
  if (dialect.transport === 'websocket') return webSockets(channel.proxy);
  const way = channel.proxy === undefined ? egress : egress.through(channel.proxy);
  return isAgain ? way.anew : way.dispatcher;
}

/** What an answer is signed with when it is translated. */
export function stampOf(call: Call): Stamp {
  return { id: call.dialect.answerId(call.id), createdSeconds: Math.floor(call.atMs / 1000), model: call.upstreamModel };
}

/** Whether an answer that was asked for as a stream is one. Not every provider says so in his headers; then its first bytes do. */
export function isStream(exchange: Exchange, { framing = serverSentEvents }: AnyDialect): boolean | Promise<boolean> {
  if (framing.isStream(exchange.headers['content-type']?.toLowerCase() ?? '')) return true;
  const { beginsWith } = framing;
  return beginsWith === undefined ? false : exchange.beginning().then(beginsWith);
}

/** Whether a failure speaks against the channel. A request that every channel would refuse does not. */
export function isFaultOfChannel(error: UpstreamError): boolean {
  return error.kind !== 'request' && error.kind !== 'content_filter' && error.kind !== 'not_found';
}
