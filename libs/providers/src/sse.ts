import { HeldBytes } from './held-bytes.ts';
import { UpstreamError } from './upstream-error.ts';

/** One event of an event stream, decoded. */
export interface SseEvent {
  /** As it travelled. */
  readonly raw?: Buffer;
  /** The event's name; '' when it has none. */
  readonly event: string;
  /** Its `data` lines joined with LF; '' when it has none. */
  readonly data: string;
}

/** The longest event, however it travels. */
export const maxFrameBytes = 10 * 1024 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const colon = 0x3a;
const space = 0x20;
const firstOfData = 0x64;
const blankLine = Buffer.from('\n');
/** A byte order mark opens a body at most; it is read over. */
const markLength = 3;

/** A frame beyond the limit: the provider is broken or hostile, the stream cannot go on. */
export class SseFrameTooLarge extends UpstreamError {
  override name = 'SseFrameTooLarge';

  constructor(what: string) {
    super({ kind: 'unreadable', status: 502, message: `The upstream provider sent ${what}`, code: 'upstream_bad_answer' });
  }
}

/** What the lines of a frame say. */
interface Lines {
  event: string;
  hasData: boolean;
  dataStart: number;
  dataEnd: number;
  /** Set when the data stands on several lines. */
  joined: string | undefined;
}

/** One frame as it travelled: its bytes with the blank line that ends it, and what they say. That is looked at only when asked for. */
export class SseFrame implements SseEvent {
  readonly raw: Buffer;
  #read: Lines | undefined;
  #text: string | undefined;

  constructor(raw: Buffer) {
    this.raw = raw;
  }

  get #lines(): Lines {
    this.#read ??= linesIn(this.raw);
    return this.#read;
  }

  get event(): string {
    return this.#lines.event;
  }

  /** False for comments (keep-alives) and empty frames. */
  get hasData(): boolean {
    return this.#lines.hasData;
  }

  get data(): string {
    const { joined, dataStart, dataEnd } = this.#lines;
    this.#text ??= joined ?? this.raw.toString('utf8', dataStart, dataEnd);
    return this.#text;
  }

  /** `data: [DONE]`, the end mark of OpenAI's dialect. */
  get isDone(): boolean {
    const { dataStart, dataEnd } = this.#lines;
    return dataEnd - dataStart <= 16 && this.data.trim() === '[DONE]';
  }

  /** It says all that an event has to: an object of JSON, or the end mark. */
  get standsAlone(): boolean {
    if (this.isDone) return true;
    const said = this.json();
    return typeof said === 'object' && said !== null;
  }

  /** The data as JSON; undefined when it is none. Large frames are decoded here and nowhere else. */
  json(): unknown {
    if (!this.hasData) return undefined;
    try {
      return JSON.parse(this.data);
    } catch {
      return undefined; // not ours to judge: a frame of text travels on as it is
    }
  }
}

function linesIn(raw: Buffer): Lines {
  const lines: Lines = { event: '', hasData: false, dataStart: 0, dataEnd: 0, joined: undefined };
  for (let at = startsWithMark(raw) ? markLength : 0; at < raw.length; ) {
    let next = raw.indexOf(lineFeed, at);
    if (next < 0) next = raw.length;
    const end = next > at && raw[next - 1] === carriageReturn ? next - 1 : next;
    const dataStart = fieldValue(raw, { at, end, name: 'data' });
    if (dataStart >= 0) addData(raw, lines, { dataStart, dataEnd: end });
    else {
      const eventStart = fieldValue(raw, { at, end, name: 'event' });
      if (eventStart >= 0) lines.event = raw.toString('utf8', eventStart, end);
    }
    at = next + 1;
  }
  return lines;
}

function addData(raw: Buffer, lines: Lines, { dataStart, dataEnd }: Pick<Lines, 'dataStart' | 'dataEnd'>): void {
  if (lines.hasData) {
    lines.joined ??= raw.toString('utf8', lines.dataStart, lines.dataEnd);
    lines.joined += `\n${raw.toString('utf8', dataStart, dataEnd)}`;
    return;
  }
  lines.hasData = true;
  lines.dataStart = dataStart;
  lines.dataEnd = dataEnd;
}

/** The same with LF in the place of each CR. */
function fed(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (let at = copy.indexOf(carriageReturn); at >= 0; at = copy.indexOf(carriageReturn, at + 1)) copy[at] = lineFeed;
  return copy;
}

function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** The body without the byte order mark before it. */
export function withoutMark(bytes: Buffer): Buffer {
  return startsWithMark(bytes) ? bytes.subarray(markLength) : bytes;
}

/** Where the value of `name` starts on the line from `at` to `end`; -1 when the line is another field. */
function fieldValue(raw: Buffer, line: { at: number; end: number; name: string }): number {
  const { at, end, name } = line;
  const afterName = at + name.length;
  if (afterName > end) return -1;
  for (let i = 0; i < name.length; i += 1) {
    if (raw[at + i] !== name.charCodeAt(i)) return -1;
  }
  if (afterName === end) return end; // a field without a colon has an empty value
  if (raw[afterName] !== colon) return -1;
  return raw[afterName + 1] === space && afterName + 1 < end ? afterName + 2 : afterName + 1;
}

/** The events that lines say which no blank one sets apart: one for each line of data. undefined: some of them say only a part of one. */
function eventsIn(lines: Buffer): SseFrame[] | undefined {
  const frames: SseFrame[] = [];
  let start = 0;
  for (let at = startsWithMark(lines) ? markLength : 0; at < lines.length; ) {
    const end = lines.indexOf(lineFeed, at);
    const isData = fieldValue(lines, { at, end, name: 'data' }) >= 0;
    at = end + 1;
    if (!isData) continue;
    const frame = new SseFrame(Buffer.concat([lines.subarray(start, at), blankLine]));
    if (!frame.standsAlone) return undefined;
    frames.push(frame);
    start = at;
  }
  return start === lines.length ? frames : undefined;
}

/**
 * Cuts a body into frames, wherever the network cut it into chunks. The frames' bytes in a row are the body's bytes, so a
 * frame can be passed on as it came; a frame inside one chunk is a view on it, not a copy. Lines end with LF or CRLF; those of a body
 * whose first one ends with CR alone are given LF. Some providers set no events apart by blank lines: of two lines of data behind each
 * other that are an event each no reader could make one, and from there on each such line is one, and given its blank line.
 */
export class SseReader {
  readonly #limit: number;
  /** Of the frame that is not complete yet. */
  readonly #held = new HeldBytes();
  #lineLength = 0;
  #lineIsBlank = true;
  /** The first byte of the line. */
  #lineBegin = 0;
  /** Of the frame, as far as they can be told from others by that. */
  #dataLines = 0;
  /** Behind so many lines of data, the next is looked at: whether it is an event of its own. */
  #linesBefore = 1;
  /** undefined: no line has ended yet. */
  #endsByReturn: boolean | undefined;
  #awaitsFeed = false;

  constructor(limits: { maxFrameBytes?: number } = {}) {
    this.#limit = limits.maxFrameBytes ?? maxFrameBytes;
  }

  /** What an unended frame keeps in memory. */
  get keptBytes(): number {
    return this.#held.keptBytes;
  }

  drop(): void {
    this.#held.drop();
  }

  /** The frames that this chunk completes. Throws, behind those that ended before it: SseFrameTooLarge. */
  *push(piece: Buffer): Generator<SseFrame> {
    const chunk = this.#endsByReturn === false ? piece : this.#withLineFeeds(piece);
    let frameStart = 0;
    let at = 0;
    while (at < chunk.length) {
      const next = chunk[at] === lineFeed ? at : chunk.indexOf(lineFeed, at);
      const end = next < 0 ? chunk.length : next;
      if (end > at) {
        if (this.#lineLength === 0) this.#lineBegin = chunk[at] as number;
        // A line is blank when it holds nothing, or nothing but the CR of a CRLF.
        this.#lineIsBlank = this.#lineLength === 0 && end - at === 1 && chunk[at] === carriageReturn;
        this.#lineLength += end - at;
      }
      if (next < 0) break;
      at = next + 1;
      const isFrameEnd = this.#lineIsBlank;
      this.#lineLength = 0;
      this.#lineIsBlank = true;
      if (isFrameEnd) {
        this.#dataLines = 0;
        const raw = this.#take(chunk, frameStart, at);
        frameStart = at;
        if (this.#linesBefore === 1 || raw.length > 2) yield new SseFrame(raw);
      } else if (this.#lineBegin === firstOfData && this.#dataLines++ === this.#linesBefore) {
        yield* this.#apart(this.#take(chunk, frameStart, at));
        frameStart = at;
      }
    }
    if (frameStart < chunk.length) this.#hold(chunk.subarray(frameStart));
  }

  /** The events that these lines are, each by itself; else they are held for the blank line that ends them. */
  #apart(lines: Buffer): readonly SseFrame[] {
    const events = eventsIn(lines);
    if (events === undefined) {
      this.#hold(lines);
      return [];
    }
    this.#linesBefore = 0;
    this.#dataLines = 0;
    return events;
  }

  /**
   * What the body ended with: a last frame that lacks only its blank line, or events that no blank line sets apart. Half a frame is
   * no news; a provider that died in it has not said it.
   */
  end(): readonly SseFrame[] {
    if (this.#held.length === 0) return [];
    const rest = this.#held.take();
    const frame = new SseFrame(Buffer.concat([rest, blankLine, blankLine]));
    if (frame.isDone || frame.json() !== undefined) return [frame];
    return eventsIn(Buffer.concat([rest, blankLine])) ?? eventsIn(rest.subarray(0, rest.lastIndexOf(lineFeed) + 1)) ?? [];
  }

  /** Finds out how lines end, by the first one. A CR at the end of a piece may be half of a CRLF. */
  #withLineFeeds(piece: Buffer): Buffer {
    if (this.#endsByReturn === true) return fed(piece);
    if (piece.length === 0) return piece;
    const feed = piece.indexOf(lineFeed);
    const mark = this.#awaitsFeed ? -1 : piece.indexOf(carriageReturn);
    if (this.#awaitsFeed || (mark >= 0 && (feed < 0 || mark < feed))) {
      this.#awaitsFeed = mark + 1 === piece.length;
      if (this.#awaitsFeed) return piece;
      this.#endsByReturn = piece[mark + 1] !== lineFeed;
    } else if (feed >= 0) this.#endsByReturn = false;
    if (this.#endsByReturn !== true) return piece;
    this.#lineLength = 0;
    this.#lineIsBlank = true;
    return fed(this.#held.length === 0 ? piece : Buffer.concat([this.#held.take(), piece]));
  }

  #take(chunk: Buffer, from: number, to: number): Buffer {
    const piece = chunk.subarray(from, to);
    if (this.#held.length > 0) {
      this.#hold(piece);
      return this.#held.take();
    }
    this.#check(piece.length);
    return piece;
  }

  #hold(piece: Buffer): void {
    this.#check(this.#held.length + piece.length);
    this.#held.add(piece);
  }

  #check(length: number): void {
    if (length > this.#limit) throw new SseFrameTooLarge(`an event of more than ${this.#limit} bytes`);
  }
}
