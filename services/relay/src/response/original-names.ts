import type { Usage } from '@tollgate/contracts';
import { CallersCalls, type JsonObject, membersOf, type SseFrame, type ToldTools, type WholeReading } from '@tollgate/providers';
import type { AskedCall, Call } from '../context/call.ts';
import type { ClientError } from '../context/errors.ts';
import type { AnswerWriter } from '../context/route.ts';

type Place = readonly string[];
type MappedCall = Pick<AskedCall, 'channel' | 'checked' | 'dialect'>;

/** The name that an answer has to give its model: the one that was requested, where the channel maps it to another; else undefined. */
function requestedModel({ channel, checked }: MappedCall): string | undefined {
  return channel.modelMapping.has(checked.model) ? checked.model : undefined;
}

/** A whole JSON answer, or a message, that names the model that was requested; the same where it names none, or no name was mapped. */
export function withRequestedModel(body: Buffer, call: MappedCall): Buffer {
  const model = requestedModel(call);
  const place = call.dialect.answerModel?.whole;
  if (model === undefined || place === undefined) return body;
  const found = valueAt(body, place);
  return found === undefined ? body : Buffer.concat([body.subarray(0, found.start), nameOf(model), body.subarray(found.end)]);
}

/** A writer whose events name the model that was requested; the same writer where no name was mapped. */
export function namingRequestedModel(writer: AnswerWriter, call: MappedCall): AnswerWriter {
  const model = requestedModel(call);
  const place = call.dialect.answerModel?.event;
  return model === undefined || place === undefined ? writer : new RenamingWriter(writer, new EventRenamer(place, model));
}

class RenamingWriter implements AnswerWriter {
  readonly #writer: AnswerWriter;
  readonly #renamer: EventRenamer;

  constructor(writer: AnswerWriter, renamer: EventRenamer) {
    this.#writer = writer;
    this.#renamer = renamer;
  }

  get keptBytes(): number {
    return this.#writer.keptBytes ?? 0;
  }

  failed(error: ClientError): string | undefined {
    return this.#writer.failed?.(error);
  }

  frame(frame: SseFrame, chunks: readonly JsonObject[]): Buffer | string | undefined {
    const out = this.#writer.frame(frame, chunks);
    return out && this.#renamer.renamed(out);
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    const out = this.#writer.chunks(chunks);
    return out && this.#renamer.renamed(out).toString();
  }

  cut(): string {
    return this.#renamer.renamed(this.#writer.cut()).toString();
  }

  end(usage: Usage): Buffer | string {
    return this.#renamer.renamed(this.#writer.end(usage));
  }
}

const blankLine = Buffer.from('\n\n');

/** Replaces the name in the events of one stream. Most events begin as the one before did: of those nothing is parsed. */
class EventRenamer {
  readonly #place: Place;
  readonly #key: Buffer;
  readonly #name: Buffer;
  /** How the last event began, up to the end of its name, and the same with the other name. */
  #begins: { was: Buffer; is: Buffer } | undefined;

  constructor(place: Place, model: string) {
    this.#place = place;
    this.#key = Buffer.from(JSON.stringify(place.at(-1)));
    this.#name = nameOf(model);
  }

  renamed(out: Buffer | string): Buffer | string {
    const bytes = typeof out === 'string' ? Buffer.from(out) : out;
    const begins = this.#begins;
    if (begins !== undefined && startsWith(bytes, begins.was) && bytes.indexOf(blankLine, begins.was.length) === bytes.length - 2) {
      return Buffer.concat([begins.is, bytes.subarray(begins.was.length)]);
    }
    return bytes.includes(this.#key) ? this.#lineByLine(bytes) : out;
  }

  #lineByLine(out: Buffer): Buffer {
    const text = out.toString('latin1'); // one character a byte
    const inOneLine = text.replace(severalLines, onOneLine);
    const bytes = inOneLine === text ? out : Buffer.from(inOneLine, 'latin1');
    const pieces: Buffer[] = [];
    let copied = 0;
    for (const { 0: line, 1: data = '', index } of inOneLine.matchAll(dataLine)) {
      const start = index + line.length - data.length;
      const found = valueAt(bytes.subarray(start, start + data.length), this.#place);
      if (found === undefined) continue;
      pieces.push(bytes.subarray(copied, start + found.start), this.#name);
      copied = start + found.end;
    }
    if (pieces.length === 2) this.#begins = { was: Buffer.from(bytes.subarray(0, copied)), is: Buffer.concat(pieces) };
    return Buffer.concat([...pieces, bytes.subarray(copied)]);
  }
}

/** The data of an event, and one whose JSON goes over several lines: a line's end is a blank there. */
const dataLine = /^data: ?(.*)$/gm;
const severalLines = /^data: ?.*(?:(?:\r\n|\n|\r)data: ?.*)+$/gm;
const onOneLine = (lines: string): string => `data: ${lines.replace(/(?:\r\n|\n|\r|^)data: ?/g, ' ').slice(1)}`;

function startsWith(bytes: Buffer, beginning: Buffer): boolean {
  return bytes.length >= beginning.length && bytes.compare(beginning, 0, beginning.length, 0, beginning.length) === 0;
}

/** Where the string stands that is the value at a place; undefined where there is none. */
function valueAt(bytes: Buffer, place: Place): { start: number; end: number } | undefined {
  let [start, end] = [0, bytes.length];
  for (const key of place) {
    const member = membersIn(bytes.subarray(start, end)).findLast((each) => each.key === key);
    if (member === undefined) return undefined;
    [start, end] = [start + member.valueStart, start + member.valueEnd];
  }
  return bytes[start] === 0x22 ? { start, end } : undefined;
}

function membersIn(bytes: Buffer): ReturnType<typeof membersOf> {
  try {
    return membersOf(bytes);
  } catch {
    return []; // no object
  }
}

function nameOf(model: string): Buffer {
  return Buffer.from(JSON.stringify(model));
}

/** A writer that gets calls of tools in the caller's own form; the same writer where the provider got the tools as they are. */
export function namingCallersTools(writer: AnswerWriter, { tools }: Pick<Call, 'tools'>): AnswerWriter {
  return tools === undefined ? writer : new CallersToolsWriter(writer, tools);
}

/** The same for a whole answer. */
export function withCallersTools(reading: WholeReading, { tools }: Pick<Call, 'tools'>): WholeReading {
  return tools === undefined ? reading : { ...reading, answer: new CallersCalls(tools).whole(reading.answer) };
}

class CallersToolsWriter implements AnswerWriter {
  readonly #writer: AnswerWriter;
  readonly #calls: CallersCalls;

  constructor(writer: AnswerWriter, tools: ToldTools) {
    this.#writer = writer;
    this.#calls = new CallersCalls(tools);
  }

  get keptBytes(): number {
    return (this.#writer.keptBytes ?? 0) + this.#calls.keptBytes;
  }

  failed(error: ClientError): string | undefined {
    return this.#writer.failed?.(error);
  }

  frame(frame: SseFrame, chunks: readonly JsonObject[]): Buffer | string | undefined {
    return this.#writer.frame(frame, this.#told(chunks));
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    return this.#writer.chunks(this.#told(chunks));
  }

  cut(): string {
    const rest = this.#calls.rest();
    return (rest === undefined ? '' : (this.#writer.chunks([rest]) ?? '')) + this.#writer.cut();
  }

  end(usage: Usage): Buffer | string {
    return this.#writer.end(usage);
  }

  #told(chunks: readonly JsonObject[]): JsonObject[] {
    return chunks.map((chunk) => this.#calls.chunk(chunk));
  }
}
