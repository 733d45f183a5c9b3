import { errorFrom, statedError } from './error-text.ts';
import { parseExact } from './exact-json.ts';
import { serverSentEvents } from './framing.ts';
import { type JsonMember, lengthOfList, membersOf } from './json-bytes.ts';
import { holdsFloats, withBase64 } from './openai/embedding-format.ts';
import { wholeOf } from './openai/whole-of-chunks.ts';
import { type Delivered, OutputMeter } from './output-meter.ts';
import type { AnswerPlace, Dialect, DialectName, JsonObject, Stamp, UsageReading } from './provider.ts';
import { withoutMark } from './sse.ts';
import { openStreamReading } from './stream-reading.ts';
import { thinkingToWholeContent } from './thinking.ts';
import { isUnreadable, UpstreamError } from './upstream-error.ts';
import { withinBound } from './usage-reading.ts';

export interface WholeOptions {
  stamp: Stamp;
  /** What the caller speaks. */
  speaks: DialectName;
  thinkingToContent?: boolean;
  usageBound?: number;
  /** The `encoding_format` that an embeddings request asks for. */
  encodingFormat?: string | null;
  /** What the answer says that it is. */
  contentType?: string;
  /** How many choices must finish where it comes as a stream; the request's `n`. */
  choices?: number;
}

/** A provider's whole answer, read: what it says in the hub's shape, whoever it is written for. */
export interface WholeReading {
  /** The provider's bytes, when the caller speaks the same and they say what he is to hear: they may travel as they are. */
  body: Buffer | undefined;
  /** What those bytes say, in the provider's own shape. */
  stated: JsonObject;
  /** The answer; of long ones that travel as they are, its top level without `data`. */
  answer: JsonObject;
  /** The provider's own bill. */
  usage: UsageReading | undefined;
  /** Nothing of the answer came behind that bill. */
  isUsageLast: boolean;
  /** What it is, where that is not JSON. */
  contentType?: string;
  /** Our count of the output. */
  counted(): Delivered;
}

const smallBody = 32 * 1024;

/**
 * Reads a provider's answer that came with status 200.
 * Throws: UpstreamError when it is an error all the same, or no answer at all (HTML, half a JSON, not one choice).
 */
export function readWhole<Request>(dialect: Dialect<Request, unknown>, bytes: Buffer, options: WholeOptions): WholeReading {
  if (dialect.speaks === 'openai' && dialect.answersText && isText(options.contentType)) return textReading(bytes, options.contentType);
  const isSame = dialect.speaks === options.speaks;
  if (cameAsStream(dialect, bytes, options.contentType)) return collected(dialect, bytes, options);
  const body = withoutMark(bytes);
  // A pass-through body of megabytes (embeddings) is not parsed: its usage stands at the top.
  const asBase64 = options.encodingFormat === 'base64' && holdsFloats(body);
  const isParsed = dialect.speaks !== 'openai' || !isSame || dialect.repair !== undefined || body.length <= smallBody || asBase64;
  const stated = isParsed ? parsed(body, { isExact: dialect.speaks === 'anthropic' || dialect.speaks === 'gemini' }) : withoutData(body);
  const refused = dialect.errorIn(stated);
  if (refused !== undefined) throw refused;
  const told = answerIn(dialect, stated, options.stamp);
  const error = errorInstead(told, dialect);
  if (error !== undefined) throw error;
  let answer = told;
  if (options.thinkingToContent) answer = thinkingToWholeContent(answer);
  if (asBase64 || (dialect.speaks !== 'openai' && options.encodingFormat === 'base64')) answer = withBase64(answer);
  const isAsSent = answer === told && (dialect.speaks !== 'openai' || told === stated);
  return {
    body: isSame && isAsSent ? body : undefined,
    contentType: Buffer.isBuffer(answer.bytes) && typeof answer.contentType === 'string' ? answer.contentType : undefined,
    stated,
    answer,
    usage: withinBound(dialect.usageIn(stated), options.usageBound),
    isUsageLast: true,
    counted: () => new WholeCount(answer, stated === answer && !isParsed ? itemsIn(body) : piecesOf(answer)),
  };
}

function isText(contentType = ''): contentType is string {
  return contentType !== '' && !/json/i.test(contentType);
}

/** A plain text, such as subtitles, which say how long they are by their last moment. */
function textReading(body: Buffer, contentType: string | undefined): WholeReading {
  const text = body.toString('utf8');
  const meter = new OutputMeter();
  meter.add({ content: text });
  return {
    body,
    stated: {},
    answer: { text },
    usage: undefined,
    isUsageLast: true,
    contentType,
    counted: () => ({ ...meter.tokens, seconds: lastMoment(text) }),
  };
}

const moment = /(?:(\d{1,3}):)?(\d{2}):(\d{2}[.,]\d{3})/g;

/** The latest moment that stands in subtitles, in seconds; 0 in other texts. */
function lastMoment(text: string): number {
  const [, hours = '0', minutes = '0', seconds = '0'] = [...text.matchAll(moment)].at(-1) ?? [];
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds.replace(',', '.'));
}

/** How many things the answer lists. */
function piecesOf({ data }: JsonObject): number | undefined {
  return Array.isArray(data) ? data.length : undefined;
}

/** The same of an answer that was not parsed. */
function itemsIn(body: Buffer): number {
  const member = membersOf(body).findLast(({ key }) => key === 'data');
  return member === undefined ? 0 : lengthOfList(body, member);
}

const brace = 0x7b;

/** Whether an answer that was not asked for as a stream is one all the same: some providers give nothing else, some do whatever they are asked. */
export function cameAsStream<Request>(dialect: Dialect<Request, unknown>, bytes: Buffer, contentType = ''): boolean {
  if (dialect.speaks === 'openai' ? !dialect.answersAt.includes('choices') : dialect.decodeStream === undefined) return false;
  if (dialect.speaks !== 'openai' && dialect.streamsOnly) return true;
  const { framing = serverSentEvents } = dialect;
  return bytes[0] !== brace && (framing.isStream(contentType.toLowerCase()) || framing.beginsWith?.(bytes) === true);
}

/** A whole answer out of the stream that its provider gave instead. */
function collected<Request>(dialect: Dialect<Request, unknown>, bytes: Buffer, options: WholeOptions): WholeReading {
  const { stamp, usageBound, thinkingToContent, choices } = options;
  const reader = (dialect.framing ?? serverSentEvents).open();
  const reading = openStreamReading(dialect, { stamp, usageBound, choices });
  const chunks: JsonObject[] = [];
  try {
    for (const frame of reader.push(bytes)) chunks.push(...reading.read(frame));
    const last = reader.end();
    if (last !== undefined) chunks.push(...reading.read(last));
  } catch (error) {
    if (!reading.isComplete || !isUnreadable(error)) throw error;
  }
  if (!reading.hasAnswer) throw unreadable();
  if (!reading.isComplete) throw interrupted();
  const whole = wholeOf(chunks, reading.head);
  const answer = thinkingToContent ? thinkingToWholeContent(whole) : whole;
  const { usage, isUsageLast } = reading;
  return { body: undefined, stated: {}, answer, usage, isUsageLast, counted: () => reading.delivered };
}

function answerIn<Request>(dialect: Dialect<Request, unknown>, stated: JsonObject, stamp: Stamp): JsonObject {
  if (dialect.speaks === 'openai') return dialect.repair?.(stated, { stamp, isChunk: false }) ?? stated;
  return dialect.decodeResponse(stated, stamp) as JsonObject;
}

/** Our count of a whole answer. Its tokens are counted when somebody asks: where a provider's bill can be true nobody does. */
class WholeCount implements Delivered {
  readonly characters: number;
  readonly pieces?: number;
  readonly #answer: JsonObject;
  #tokens: Delivered | undefined;

  constructor(answer: JsonObject, pieces: number | undefined) {
    this.#answer = answer;
    this.characters = measured(answer, () => 0).characters;
    if (pieces !== undefined) this.pieces = pieces;
  }

  get textOutput(): number {
    return this.#counted().textOutput;
  }

  get reasoningOutput(): number {
    return this.#counted().reasoningOutput;
  }

  #counted(): Delivered {
    this.#tokens ??= measured(this.#answer);
    return this.#tokens;
  }
}

function measured(answer: JsonObject, weigh?: (text: string) => number): Delivered {
  const meter = new OutputMeter(weigh);
  for (const choice of Array.isArray(answer.choices) ? (answer.choices as JsonObject[]) : []) {
    meter.add((choice?.message ?? choice ?? {}) as JsonObject);
  }
  return meter.tokens;
}

/** JSON that is no answer of what was asked: an error in a shape of its own, or something else altogether. */
function errorInstead<Request>(stated: JsonObject, dialect: Dialect<Request, unknown>): UpstreamError | undefined {
  if (dialect.speaks !== 'openai' || dialect.answersAt.some((place) => isAnswer(place, stated[place]))) return undefined;
  const words = Array.isArray(stated.choices) ? undefined : statedError(stated);
  return words?.message === undefined ? unreadable() : errorFrom(words, { status: 200 });
}

function isAnswer(place: AnswerPlace, value: unknown): boolean {
  if (place === 'text') return typeof value === 'string';
  if (!Array.isArray(value)) return false;
  return place !== 'choices' || (value.length > 0 && value.every((choice) => typeof choice === 'object' && choice !== null));
}

/** `isExact`: arguments of calls stand in it as objects, whose integers keep their digits. */
function parsed(body: Buffer, { isExact }: { isExact: boolean }): JsonObject {
  let value: unknown;
  try {
    value = isExact ? parseExact(body.toString('utf8')) : JSON.parse(body.toString('utf8'));
  } catch {
    throw unreadable();
  }
  if (typeof value !== 'object' || value === null) throw unreadable();
  return value as JsonObject;
}

function withoutData(body: Buffer): JsonObject {
  try {
    const read = (member: JsonMember): unknown =>
      member.key === 'data' ? [] : JSON.parse(body.toString('utf8', member.valueStart, member.valueEnd));
    return Object.fromEntries(membersOf(body).map((member) => [member.key, read(member)]));
  } catch {
    throw unreadable();
  }
}

function interrupted(): UpstreamError {
  const message = 'The upstream provider broke off its answer';
  return new UpstreamError({ kind: 'interrupted', status: 502, message, code: 'upstream_interrupted' });
}

function unreadable(): UpstreamError {
  return new UpstreamError({
    kind: 'unreadable',
    status: 502,
    message: 'The upstream provider sent an answer that cannot be read',
    code: 'upstream_bad_answer',
  });
}
