import { promptTokensOf } from '@tollgate/contracts';
import { factsOf } from '@tollgate/contracts/catalog';
import {
  type AnyDialect,
  type ChatRequest,
  mediaTypeOf,
  remoteFiles,
  restMs,
  type Stamp,
  serverSentEvents,
  type UpstreamError,
} from '@tollgate/providers';
import { AppError, askedBy, egressRefused } from '@tollgate/runtime';
import type { Limits } from '../config.ts';
import type { AskedCall, Call } from '../context/call.ts';
import type { Relay } from '../context/relay.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { Exchange } from './exchange.ts';
import { type Asking, type Forwarding, placeOf, type Question, questionFor, signed, targetOf } from './upstream-request.ts';
import type { Transport } from './web-socket.ts';

const mostFiles = 16;
const mostBytes = 20 << 20;
const mostBytesOfCall = 40 << 20;
const longestMs = 20_000;
/** The text of a file, and its copy in the body that is sent. */
const copies = 2;

/**
 * The images and files of a request that a provider can only be sent as bytes, by their URLs; undefined when there are none. They
 * are fetched once a call, all at the same time, however many channels are asked.
 * Throws: AppError `invalid_request` when one cannot be fetched; `service_unavailable` when all calls keep too much.
 */
function filesFor(
  relay: Relay,
  call: Call,
  { forwarding, dialect }: { forwarding: Forwarding; dialect: AnyDialect },
): Promise<ReadonlyMap<string, string>> | undefined {
  const wanted = remoteFiles(forwarding.request as ChatRequest, dialect, { isSame: dialect.speaks === call.dialect.name });
  if (wanted.length === 0) return undefined;
  if (wanted.length > mostFiles) throw refused(`a request may name at most ${mostFiles} files by URL`);
  forwarding.files ??= new Map();
  return withMissing(relay, call, { wanted, known: forwarding.files });
}

async function withMissing(
  relay: Relay,
  call: Call,
  { wanted, known }: { wanted: string[]; known: Map<string, string> },
): Promise<ReadonlyMap<string, string>> {
  const missing = wanted.filter((address) => !known.has(address));
  if (missing.length > 0) await fetchAll(relay, call, { addresses: missing, known });
  return known;
}

/** Only chats hold messages, and they alone name files. */
function holdsAddresses(call: Call): boolean {
  return call.checked?.mode === 'chat';
}

async function fetchAll(
  relay: Relay,
  call: Call,
  { addresses, known }: { addresses: string[]; known: Map<string, string> },
): Promise<void> {
  const { openCalls } = relay;
  let left = mostBytesOfCall;
  const signal = AbortSignal.timeout(longestMs);
  const all = addresses.map(async (address) => {
    const url = await fetched(relay, call, { named: address, maxBytes: Math.min(mostBytes, left), signal });
    left -= (url.length * 3) / 4;
    if (left < 0) throw refused(`the files that it names by URL have more than ${mostBytesOfCall >> 20} MB together`);
    openCalls.buffer(call, url.length * copies);
    known.set(address, url);
  });
  await Promise.all(all);
}

type FileLimits = { maxBytes: number; signal: AbortSignal };

/** The file as a data URL. Every failure has one text: what lies behind an address is not for the caller to find out. */
async function fetched(relay: Relay, call: Call, { named, ...limits }: FileLimits & { named: string }): Promise<string> {
  const { egressByOrigin: egress, settings } = relay;
  try {
    const { by, address, ...question } = await askedBy({ egress, origin: 'users', worker: settings.options }, { address: named });
    const { status, headers, body } = await by.exchange(address, { ...question, ...limits, timeoutMs: longestMs });
    const url = status === 200 ? dataUrl(headers['content-type'] ?? '', body) : undefined;
    if (url !== undefined) return url;
    relay.logger.info({ requestId: call.id, status }, 'a file by URL was not usable');
  } catch (error) {
    relay.logger.info({ requestId: call.id, err: error }, 'a file by URL could not be fetched');
  }
  throw refused(unavailable);
}

const unavailable = `a file that it names by URL could not be fetched. It must be an image or a document of at most ${mostBytes >> 20} MB at a public address`;

/** What is taken as it is called: no first bytes tell what it is. */
const asStated = /^(?:text\/plain|audio\/[\w.+-]+|video\/[\w.+-]+)$/;

/** Many servers call everything a picture, the page on which they say that it is gone, too: the bytes decide. */
function dataUrl(contentType: string, body: Buffer): string | undefined {
  if (body.length === 0) return undefined;
  const stated = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  const found = mediaTypeOf(body);
  const mediaType = found === undefined || found === 'text/html' ? asStated.exec(stated)?.[0] : found;
  return mediaType === undefined ? undefined : `data:${mediaType};base64,${body.toString('base64')}`;
}

function refused(reason: string): AppError {
  return new AppError('invalid_request', { reason }, { param: 'messages' });
}

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
    if (exchange.status === 200) {
      call.restMs = restMs(exchange.headers, relay.wallet.time());
      return exchange;
    }
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
  relay.openCalls.letGo(call, call.bufferedBytes - (call.keeping?.bytes ?? 0));
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
