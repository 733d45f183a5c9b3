import { carriedMark, type DetachedStrings, sealedMark } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { LeftOutTexts } from './detached-strings.ts';

const deepest = 100;
const mostContainers = 100_000;
/** Embeddings of token numbers carry many. */
const mostValues = 3_000_000;
const mostMembers = 500_000;
const mostFields = 1_000;

// What a body comes to once it is parsed, rather above than below.
const bytesPerContainer = 128;
const bytesPerMember = 32;
const bytesPerValue = 16;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const lowerU = 0x75;
/** So far a string is looked through byte by byte; in a longer one its end is looked for natively. */
const shortString = 32;
/** Strings of which more than this stands behind their beginning are left out of what is parsed. */
const longString = 4 * 1024;
/** So much of a text stays ... */
const headOfText = 64;
/** ... and of a data URL, in whose first bytes the size of a picture stands. */
const headOfData = 66 * 1024;
const dataUrl = 'data:';
/** ... and of what a caller keeps for a provider, which is understood here. */
const headOfCarried = 1 << 20;
const mostMarkBytes = 8;

/**
 * Looks through a JSON body, piece by piece as it comes, and counts what it holds. What would take too much memory or too long is
 * refused here, before anything is built of it: brackets alone, a few megabytes of them, would take all memory.
 * Throws: AppError `invalid_json`.
 */
export class JsonScan {
  /** Long texts are left out of what is parsed. */
  readonly #leavesOut: boolean;
  readonly #pieces: Buffer[] = [];
  /** Where each piece begins in the body. */
  readonly #starts: number[] = [];
  readonly #long: { from: number; to: number }[] = [];
  #length = 0;
  #depth = 0;
  #containers = 0;
  #commas = 0;
  #members = 0;
  #fields = 0;
  /** Where the string begins, behind its quote, that the last piece ended in. */
  #stringFrom = -1;
  #isEscaped = false;

  constructor({ leavesOut }: { leavesOut: boolean }) {
    this.#leavesOut = leavesOut;
  }

  push(piece: Buffer): void {
    const start = this.#length;
    this.#pieces.push(piece);
    this.#starts.push(start);
    this.#length += piece.length;
    let at = 0;
    if (this.#stringFrom >= 0) at = this.#endString(piece, 0, start);
    for (; at < piece.length; at += 1) {
      const byte = piece[at];
      if (byte === quote) {
        this.#stringFrom = start + at + 1;
        at = this.#endString(piece, at + 1, start) - 1;
      } else if (byte === comma) {
        this.#commas += 1;
      } else if (byte === colon) {
        this.#members += 1;
        if (this.#depth === 1) this.#fields += 1;
      } else if (byte === openBrace || byte === openBracket) {
        this.#depth += 1;
        this.#containers += 1;
        if (this.#depth > deepest) throw refused(`it nests deeper than ${deepest} levels`);
        if (this.#containers > mostContainers) throw refused(`it holds more than ${mostContainers} objects and lists`);
      } else if (byte === closeBrace || byte === closeBracket) {
        this.#depth -= 1;
      }
    }
    if (this.#commas + this.#containers >= mostValues) throw refused(`it holds more than ${mostValues} values`);
    if (this.#members > mostMembers) throw refused(`it holds more than ${mostMembers} members`);
    if (this.#fields > mostFields) throw refused(`it holds more than ${mostFields} fields`);
  }

  /** How many keys stand below the top. */
  get nestedFields(): number {
    return this.#members - this.#fields;
  }

  /** How many keys stand at the top. */
  get fields(): number {
    return this.#fields;
  }

  /** How many bytes of memory the parsed body will take besides the body itself, about; long texts are not parsed. */
  get parsedBytes(): number {
    const leftOut = this.#long.reduce((sum, { from, to }) => sum + to - from, 0);
    const values = this.#commas + this.#containers + 1;
    return this.#length - leftOut + this.#containers * bytesPerContainer + this.#members * bytesPerMember + values * bytesPerValue;
  }

  /** What is to be parsed, and what was left out of it. */
  end(): { json: Buffer; long: DetachedStrings | undefined } {
    if (!this.#leavesOut) return { json: joined(this.#pieces), long: undefined };
    const texts = new LeftOutTexts();
    const kept: Buffer[] = [];
    let done = 0;
    for (const { from, to } of this.#long) {
      kept.push(...this.#between(done, from), texts.keep(this.#between(from, to)));
      done = to;
    }
    kept.push(...this.#between(done, this.#length));
    return { json: joined(kept), long: texts };
  }

  /** Goes to the position behind the string that is open; the end of the piece when it goes on. */
  #endString(piece: Buffer, from: number, start: number): number {
    const end = this.#closingQuote(piece, from);
    if (end < 0) return piece.length;
    const to = start + end;
    if (this.#leavesOut && to - this.#stringFrom > longString) this.#leaveOut(this.#stringFrom, to);
    this.#stringFrom = -1;
    return end + 1;
  }

  /** Where the string ends; -1 when the piece ends first. */
  #closingQuote(piece: Buffer, from: number): number {
    let at = from;
    if (this.#isEscaped) {
      if (at >= piece.length) return -1;
      this.#isEscaped = false;
      at += 1;
    }
    const near = Math.min(piece.length, at + shortString);
    for (; at < near; at += 1) {
      if (piece[at] === quote) return at;
      if (piece[at] === backslash) at += 1;
    }
    if (at > piece.length) this.#isEscaped = true; // its last byte was a backslash
    if (at >= piece.length) return -1;
    for (let end = piece.indexOf(quote, at); end >= 0; end = piece.indexOf(quote, end + 1)) {
      if (backslashesBefore(piece, end, at) % 2 === 0) return end;
    }
    this.#isEscaped = backslashesBefore(piece, piece.length, at) % 2 === 1;
    return -1;
  }

  #leaveOut(start: number, to: number): void {
    const head = this.#headOf(start, to);
    if (to - start - head > longString) this.#long.push({ from: start + head, to });
  }

  #mostHead(start: number): number {
    const mark = joined(this.#between(start, start + mostMarkBytes)).toString('latin1');
    if (mark.startsWith(dataUrl)) return headOfData;
    return mark.startsWith(carriedMark) || mark.startsWith(sealedMark) ? headOfCarried : headOfText;
  }

  /** How much of a long string stays: neither a character nor an escape is cut in two. */
  #headOf(start: number, to: number): number {
    const head = joined(this.#between(start, Math.min(to, start + this.#mostHead(start))));
    let length = 0;
    for (let at = 0; at < head.length; ) {
      if (head[at] !== backslash) at += 1;
      else at += head[at + 1] === lowerU ? 6 : 2;
      const next = head[at];
      if (next !== undefined && !isContinuation(next)) length = at;
    }
    return length;
  }

  /** These bytes of the body, as views on its pieces. */
  #between(from: number, to: number): Buffer[] {
    const found: Buffer[] = [];
    for (let index = this.#indexOf(from); index < this.#pieces.length; index += 1) {
      const start = this.#starts[index] as number;
      if (start >= to) break;
      const piece = (this.#pieces[index] as Buffer).subarray(Math.max(0, from - start), to - start);
      if (piece.length > 0) found.push(piece);
    }
    return found;
  }

  /** The piece that a byte stands in. */
  #indexOf(position: number): number {
    let [from, to] = [0, this.#starts.length];
    while (to - from > 1) {
      const middle = (from + to) >> 1;
      if ((this.#starts[middle] as number) <= position) from = middle;
      else to = middle;
    }
    return from;
  }
}

function joined(pieces: readonly Buffer[]): Buffer {
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}

/** A byte of UTF-8 that does not begin a character. */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

function backslashesBefore(piece: Buffer, position: number, from: number): number {
  let count = 0;
  while (position - 1 - count >= from && piece[position - 1 - count] === backslash) count += 1;
  return count;
}

export function refused(reason: string): AppError {
  return new AppError('invalid_json', { reason });
}

/** The body without the byte order mark that some editors and languages put before a text (RFC 8259, 8.1, lets us pass over it). */
export function withoutByteOrderMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/**
 * Refuses a key that stands twice in one object below the top: of parsers some take the first one, some the last. `count`: how many keys
 * the text has there. Throws: AppError `invalid_json`.
 */
export function refuseDoubled(json: object, count: number): void {
  if (count > 0 && count !== nestedKeys(json)) throw refused('an object in it has a key twice');
}

function nestedKeys(value: object): number {
  let keys = 0;
  const inner = Array.isArray(value) ? (value as unknown[]) : Object.values(value);
  for (const one of inner) {
    if (typeof one !== 'object' || one === null) continue;
    keys += nestedKeys(one) + (Array.isArray(one) ? 0 : Object.keys(one).length);
  }
  return keys;
}

/** The body as JSON. Throws: AppError `invalid_json`. */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) throw refused('it is empty');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    // The parser's own words quote the body, which may be long and is not ours to repeat; where it is wrong is enough.
    const words = String(error);
    const isCut = words.includes('end of JSON input') || words.includes('Unterminated');
    const position = /position \d+/.exec(words)?.[0];
    throw refused(isCut ? 'it ends too early' : `it is wrong at ${position ?? 'its beginning'}`);
  }
}
