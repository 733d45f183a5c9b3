import { randomBytes } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import type { DetachedStrings } from '@tollgate/providers';

/** The bytes of one long string that were left out, as they stood between its quotes. */
export type LeftOut = readonly Buffer[];

/** Keeps what is left out of one JSON text. */
export class LeftOutTexts implements DetachedStrings {
  readonly #start = `left-out-${randomBytes(12).toString('hex')}-`;
  readonly #texts: { bytes: LeftOut; length: number }[] = [];

  /** Keeps these bytes; returns the mark that stands for them. */
  keep(bytes: LeftOut): Buffer {
    this.#texts.push({ bytes, length: bytes.reduce((sum, { length }) => sum + length, 0) });
    return Buffer.from(`${this.#start}${this.#texts.length - 1};`);
  }

  whole(json: Buffer): Buffer[] {
    const pieces: Buffer[] = [];
    let done = 0;
    for (let at = json.indexOf(this.#start); at >= 0; at = json.indexOf(this.#start, done)) {
      const end = json.indexOf(';', at);
      pieces.push(json.subarray(done, at), ...this.#at(json.toString('latin1', at + this.#start.length, end)).bytes);
      done = end + 1;
    }
    pieces.push(json.subarray(done));
    return pieces;
  }

  *slices(text: string): Iterable<string> {
    for (const part of this.#parts(text)) {
      if (typeof part === 'string') yield part;
      else yield* decoded(part);
    }
  }

  *raw(text: string): Iterable<string | Buffer> {
    for (const part of this.#parts(text)) {
      if (typeof part === 'string') yield part;
      else yield* part;
    }
  }

  *#parts(text: string): Iterable<string | LeftOut> {
    let done = 0;
    for (let at = text.indexOf(this.#start); at >= 0; at = text.indexOf(this.#start, done)) {
      const end = text.indexOf(';', at);
      if (at > done) yield text.slice(done, at);
      yield this.#at(text.slice(at + this.#start.length, end)).bytes;
      done = end + 1;
    }
    if (done < text.length) yield done === 0 ? text : text.slice(done);
  }

  filled(text: string): string {
    return text.includes(this.#start) ? [...this.slices(text)].join('') : text;
  }

  lengthOf(text: string): number {
    let length = text.length;
    for (let at = text.indexOf(this.#start); at >= 0; at = text.indexOf(this.#start, at + 1)) {
      const end = text.indexOf(';', at);
      length += this.#at(text.slice(at + this.#start.length, end)).length - (end + 1 - at);
    }
    return length;
  }

  #at(number: string): { bytes: LeftOut; length: number } {
    const text = this.#texts[Number(number)];
    if (text === undefined) throw new Error('a mark of something left out was cut');
    return text;
  }
}

/** The texts that pieces of a JSON string stand for. Neither a character nor an escape is cut in two. */
function* decoded(pieces: LeftOut): Iterable<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for (const piece of pieces) {
    const text = rest + decoder.write(piece);
    const end = endOfEscapes(text);
    rest = text.slice(end);
    if (end > 0) yield unescaped(text.slice(0, end));
  }
  rest += decoder.end();
  if (rest !== '') yield unescaped(rest);
}

const longestEscape = 6;

/** Where the escape begins that the end of the text cuts; the end when it cuts none. */
function endOfEscapes(text: string): number {
  const last = text.lastIndexOf('\\');
  if (last < 0 || last < text.length - longestEscape) return text.length;
  let run = 1;
  while (text[last - run] === '\\') run += 1;
  if (run % 2 === 0) return text.length;
  return last + (text[last + 1] === 'u' ? longestEscape : 2) > text.length ? last : text.length;
}

function unescaped(text: string): string {
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}
