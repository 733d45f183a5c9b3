import type { Usage } from '@tollgate/contracts';
import {
  type AnyDialect,
  CollectedStream,
  cameAsStream,
  type JsonObject,
  readWhole,
  streamOfOne,
  type WholeReading,
} from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { AskedCall, Call } from '../context/call.ts';
import { upstreamFailure } from '../context/errors.ts';
import type { Relay } from '../context/relay.ts';
import type { RelayRoute } from '../context/route.ts';
import type { WordMatcher } from '../context/word-matcher.ts';
import { keepAnswer } from '../dialects/responses/keep.ts';
import { type Outcome, report, wholeUsage } from '../quota/report.ts';
import type { RoutedChannel } from '../routing/channel-table.ts';
import { patienceFor, stampOf } from '../upstream/attempt.ts';
import type { Exchange } from '../upstream/exchange.ts';
import { polled } from '../upstream/polled.ts';
import type { Forwarding } from '../upstream/upstream-request.ts';
import { namingRequestedModel, withCallersTools, withRequestedModel } from './original-names.ts';
import { answerHeaders } from './respond.ts';
import type { StreamWriter } from './stream-writer.ts';

interface WholeAttempt {
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
async function wholeBody(relay: Relay, call: AskedCall, attempt: WholeAttempt): Promise<WholeReading> {
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

/** What the line itself takes at once is no call's any more. */
const shortAnswer = 64 * 1024;

/**
 * Resolves when the caller has taken his answer, or has left: until then the call keeps it in memory. One who takes nothing of
 * it is cut off, as a streaming caller is. undefined: a short one needs no waiting for.
 */
function untilTaken(relay: Relay, { response }: Call): Promise<void> | undefined {
  return response.writableLength < shortAnswer ? undefined : taken(relay, response);
}

async function taken(relay: Relay, response: Call['response']): Promise<void> {
  let left = response.writableLength;
  let takenAt = performance.now();
  const watcher = {
    place: -1,
    tick(now: number) {
      if (response.writableLength !== left) {
        left = response.writableLength;
        takenAt = now;
      } else if (now - takenAt > relay.limits.RELAY_SLOW_READER_MS) response.destroy();
    },
    shutDown: () => undefined,
  };
  relay.openCalls.watch(watcher);
  await new Promise<void>((resolve) => {
    response.once('finish', resolve);
    response.once('close', resolve);
  });
  relay.openCalls.unwatch(watcher);
}

/**
 * Reads a whole answer, reports it, and only then sends it. From the moment it has come it is paid for, whether or not the
 * caller is still there. Throws: UpstreamError as long as nothing is reported; AppError `service_unavailable`, `sensitive_words_detected`.
 */
export async function answerWhole(relay: Relay, call: AskedCall, attempt: WholeAttempt): Promise<void> {
  call.whenGone(undefined); // the provider has begun to answer: it is read to its end
  const answer = withCallersTools(await wholeBody(relay, call, attempt), call);
  const bill = wholeUsage(call.checked, {
    usage: answer.usage,
    isUsageLast: answer.isUsageLast,
    delivered: answer.counted(),
  });
  const { route, forwarding } = attempt;
  const sent = forwarding.sent?.json ?? {};
  const contentType = route.typeOf?.(answer, sent) ?? answer.contentType ?? 'application/json';
  const whole = route.whole(answer, bill.usage, sent, call.envelope);
  const bytes = contentType === 'application/json' ? withRequestedModel(whole, call) : whole;
  const endReason = endOf(relay, call, answer.answer);
  await report(relay, call, { ...bill, endReason }, { isDelivered: false });
  if (call.isGone) return;
  if (endReason === 'sensitive') throw new AppError('sensitive_words_detected');
  call.response.writeHead(200, answerHeaders(call, { 'content-type': contentType, 'content-length': bytes.length }));
  call.response.end(bytes);
  if (call.keeping !== undefined) keepAnswer(relay, call, bytes);
  const taking = untilTaken(relay, call);
  if (taking !== undefined) await taking;
}

/** Why an answer ends that came whole. One that holds a sensitive word is paid, and kept from the caller. */
export function endOf({ settings: { stopsAnswer } }: Relay, { isGone }: AskedCall, answer: JsonObject): Outcome['endReason'] {
  if (isGone) return 'client_gone';
  return stopsAnswer !== undefined && hasWordIn(answer, stopsAnswer) ? 'sensitive' : 'complete';
}

/** Told the chunks of a streamed answer one after the other, in the hub's words: whether a sensitive word has come, be it in pieces. */
export function watchWords(hasWord: WordMatcher): (chunks: readonly JsonObject[]) => boolean {
  const texts = new Map<string, (piece: string) => boolean>();
  const isIn = (key: string, piece: string): boolean => {
    let has = texts.get(key);
    if (has === undefined) {
      has = hasWord.inPieces();
      texts.set(key, has);
    }
    return has(piece);
  };
  return (chunks) => {
    for (const { choices } of chunks) if (Array.isArray(choices) && anyText(choices as JsonObject[], isIn)) return true;
    return false;
  };
}

/** The same of a whole answer. */
function hasWordIn({ choices }: JsonObject, hasWord: WordMatcher): boolean {
  return Array.isArray(choices) && anyText(choices as JsonObject[], (_key, text) => hasWord(text));
}

/** One text of the answer; that of the first choice, of which there is more than one seldom, needs no text made for it. */
function keyOf({ index }: JsonObject, part: string): string {
  return typeof index === 'number' && index !== 0 ? `${index}.${part}` : part;
}

type IsWanted = (key: string, text: string) => boolean;

/** Whether one of the texts of the choices is one that is looked for; `key` is the same for the pieces of one text. */
function anyText(choices: readonly (JsonObject | null)[], isWanted: IsWanted): boolean {
  for (const choice of choices) {
    if (typeof choice !== 'object' || choice === null) continue;
    const piece = (choice.delta ?? choice.message ?? choice) as JsonObject;
    // By their names, one by one: a loop over names is several times as dear, and this is done with each frame.
    const has =
      says(choice, 'content', piece.content, isWanted) ||
      says(choice, 'text', piece.text, isWanted) ||
      says(choice, 'reasoning_content', piece.reasoning_content, isWanted) ||
      says(choice, 'reasoning', piece.reasoning, isWanted) ||
      says(choice, 'refusal', piece.refusal, isWanted);
    if (has) return true;
  }
  return false;
}

function says(choice: JsonObject, part: string, said: unknown, isWanted: IsWanted): boolean {
  if (typeof said === 'string') return said !== '' && isWanted(keyOf(choice, part), said);
  if (!Array.isArray(said)) return false;
  return said.some((each: JsonObject | null) => typeof each?.text === 'string' && isWanted(keyOf(choice, part), each.text));
}

/**
 * A stream was asked for and a whole answer came: an error, or the answer of a provider that does not stream. The caller gets
 * it as a stream of one chunk and its end. Throws: UpstreamError as long as nothing is reported; AppError `sensitive_words_detected`.
 */
export async function answerStreamOfOne(relay: Relay, call: AskedCall, attempt: WholeAttempt & { writer: StreamWriter }): Promise<void> {
  const { route, writer } = attempt;
  call.whenGone(undefined);
  const whole = withCallersTools(await wholeBody(relay, call, attempt), call);
  const bill = wholeUsage(call.checked, {
    usage: whole.usage,
    isUsageLast: whole.isUsageLast,
    delivered: whole.counted(),
  });
  const text = route.asEvents?.(whole, bill.usage) ?? textOfOne(call, { whole, usage: bill.usage, attempt });
  const endReason = endOf(relay, call, whole.answer);
  await report(relay, call, { ...bill, endReason }, { isDelivered: false });
  if (endReason === 'sensitive') throw new AppError('sensitive_words_detected');
  writer.end(text);
  if (call.keeping !== undefined) keepAnswer(relay, call, text);
  await untilTaken(relay, call);
}

/** Throws: UpstreamError when the answer has no choices. */
function textOfOne(call: AskedCall, { whole, usage, attempt }: { whole: WholeReading; usage: Usage; attempt: WholeAttempt }): string {
  const { route, forwarding } = attempt;
  const one = streamOfOne(whole.answer, stampOf(call));
  if (one === undefined) throw upstreamFailure('unreadable', 'upstream_bad_answer');
  const { request, sent } = forwarding;
  const inDialect = route.writer(one.reading, { request, sent: sent?.json ?? {}, envelope: call.envelope, isSame: false });
  const words = namingRequestedModel(inDialect, call);
  return `${words.chunks(one.chunks) ?? ''}${words.end(usage)}`;
}
