import { CollectedStream, cameAsStream } from './collected-stream.ts';
import { errorFrom, statedError } from './error-text.ts';
import { parseExact } from './exact-json.ts';
import { isGivenUp, whatIsLeftOf } from './given-up.ts';
import { type JsonMember, lengthOfList, membersOf } from './json-bytes.ts';
import { holdsFloats, withBase64 } from './openai/embedding-format.ts';
import { type Delivered, OutputMeter } from './output-meter.ts';
import type { AnswerPlace, Dialect, JsonObject, Stamp } from './provider.ts';
import { unreadable } from './read-answer-shape.ts';
import { withoutMark } from './sse.ts';
import { headIn } from './stream-reading.ts';
import { thinkingToWholeContent } from './thinking.ts';
import type { UpstreamError } from './upstream-error.ts';
import { withinBound } from './usage-reading.ts';
import type { WholeOptions, WholeReading } from './whole-answer.ts';

const smallBody = 32 * 1024;

/**
 * Reads a provider's answer that came with status 200.
 * Throws: UpstreamError when it is an error all the same, or no answer at all (HTML, half a JSON, not one choice).
 */
export function readWhole<Request>(dialect: Dialect<Request, unknown>, bytes: Buffer, options: WholeOptions): WholeReading {
  if (dialect.speaks === 'openai' && dialect.answersText && isText(options.contentType)) return textReading(bytes, options);
  const isSame = dialect.speaks === options.speaks;
  if (cameAsStream(dialect, { begins: bytes, contentType: options.contentType })) {
    const stream = new CollectedStream(dialect, options);
    stream.push(bytes);
    return stream.whole();
  }
  const unpacked = dialect.speaks === 'openai' ? undefined : dialect.decodeBytes?.(bytes, options.stamp);
  if (unpacked !== undefined) return bytesReading(unpacked as JsonObject, options);
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
  const whole = isGivenUp(told) ? whatIsLeftOf(told) : told;
  let answer = whole;
  if (options.thinkingToContent) answer = thinkingToWholeContent(answer);
  if (asBase64 || (dialect.speaks !== 'openai' && options.encodingFormat === 'base64')) answer = withBase64(answer);
  const isAsSent = answer === whole && (dialect.speaks !== 'openai' || told === stated);
  return {
    body: isSame && isAsSent ? body : undefined,
    contentType: Buffer.isBuffer(answer.bytes) && typeof answer.contentType === 'string' ? answer.contentType : undefined,
    stated,
    answer,
    head: headIn(answer, options.stamp),
    usage: withinBound(dialect.usageIn(stated), options.usageBound),
    isUsageLast: true,
    counted: () => new WholeCount(answer, stated === answer && !isParsed ? itemsIn(body) : piecesOf(answer)),
  };
}

function isText(contentType = ''): contentType is string {
  return contentType !== '' && !/json/i.test(contentType);
}

/** A plain text, such as subtitles, which say how long they are by their last moment. */
function textReading(body: Buffer, { contentType, stamp }: WholeOptions): WholeReading {
  const text = body.toString('utf8');
  const meter = new OutputMeter();
  meter.add({ content: text });
  return {
    body,
    stated: {},
    answer: { text },
    head: stamp,
    usage: undefined,
    isUsageLast: true,
    contentType,
    counted: () => ({ ...meter.tokens, seconds: lastMoment(text) }),
  };
}

/** What came as bytes, said in the hub's words; they tell no bill. */
function bytesReading(answer: JsonObject, { stamp }: WholeOptions): WholeReading {
  return {
    body: undefined,
    stated: {},
    answer,
    head: stamp,
    usage: undefined,
    isUsageLast: true,
    counted: () => new WholeCount(answer, piecesOf(answer)),
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
