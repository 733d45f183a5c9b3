import { SseFrame } from './sse.ts';

/** Where a string begins that changes from frame to frame: a piece of an answer, or what pads it. */
const pieceBegins = /"(?:content|reasoning_content|reasoning|text|obfuscation)"\s*:\s*"/g;
const quote = 0x22;
const backslash = 0x5c;
const firstPrintable = 0x20;
const isMoreThanItsBytes = /[\\\x80-\xff]/;
/** Stand for the strings that change while a pattern is tried out; no answer holds them. */
const marks = ['\x7fone\x7f', '\x7ftwo\x7f', '\x7fthree\x7f'];
/** A pattern that fits fewer frames was not worth learning; after so many of them none is learned. */
const fewFrames = 4;
const mostInVain = 3;
/** So many frames in a row are read whole before a pattern is learned from the next: of a short answer none is. */
const mostUnfitted = 2;
/** No pattern is kept of longer frames. */
const longFrame = 4 * 1024;

/** What frames have in common: the same bytes but for one string between each of them and the next. */
interface Pattern {
  fixed: readonly Buffer[];
  /** What a frame with these strings says. */
  withTexts(texts: readonly string[]): unknown;
}

/**
 * Reads the JSON of a stream's frames. Most say again what the one before said, with another piece of the answer: of those the pieces alone
 * are read, at a third of the cost. Its values are those of `SseFrame.json`; what does not change is shared between them.
 */
export class RepeatedJson {
  #pattern: Pattern | undefined;
  /** Frames that fitted the pattern; one behind the other that did not; patterns that hardly any frame fitted. */
  #fitted = 0;
  #unfitted = 0;
  #inVain = 0;
  readonly #texts: string[] = [];

  json(frame: SseFrame): unknown {
    const { raw } = frame;
    if (this.#pattern !== undefined && this.#fits(raw, this.#pattern.fixed)) {
      this.#fitted += 1;
      this.#unfitted = 0;
      return this.#pattern.withTexts(this.#texts);
    }
    this.#unfitted += 1;
    if (this.#unfitted > mostUnfitted && this.#inVain < mostInVain && raw.length < longFrame) this.#learn(raw);
    return frame.json();
  }

  /** Whether a frame is of the pattern; then `#texts` are its strings. */
  #fits(raw: Buffer, fixed: readonly Buffer[]): boolean {
    let at = 0;
    for (let i = 0; i < fixed.length; i += 1) {
      const part = fixed[i] as Buffer;
      const start = at + part.length;
      if (start > raw.length || raw.compare(part, 0, part.length, at, start) !== 0) return false;
      at = start;
      if (i + 1 < fixed.length) {
        at = endOfText(raw, start);
        const text = textBetween(raw, start, at);
        if (text === undefined) return false;
        this.#texts[i] = text;
      }
    }
    return at === raw.length;
  }

  #learn(raw: Buffer): void {
    this.#inVain = this.#fitted < fewFrames ? this.#inVain + 1 : 0;
    this.#fitted = 0;
    this.#unfitted = 0;
    this.#pattern = patternOf(raw);
  }
}

/** Where the quote stands that ends a string of JSON, or the first byte that none may hold. */
function endOfText(raw: Buffer, start: number): number {
  let at = start;
  for (let byte = raw[at]; byte !== undefined && byte >= firstPrintable && byte !== quote; byte = raw[at]) at += byte === backslash ? 2 : 1;
  return at;
}

/** What a string of JSON says; undefined when it is none. */
function textBetween(raw: Buffer, start: number, end: number): string | undefined {
  if (raw[end] !== quote) return undefined;
  const text = raw.toString('latin1', start, end);
  if (!isMoreThanItsBytes.test(text)) return text;
  try {
    return JSON.parse(`"${raw.toString('utf8', start, end)}"`) as string;
  } catch {
    return undefined;
  }
}

/** Undefined when nothing in the frame is known to change, or more than a few strings do. */
function patternOf(raw: Buffer): Pattern | undefined {
  const fixed: Buffer[] = [];
  const trial: Buffer[] = [];
  let from = 0;
  for (const { 0: beginning, index } of raw.toString('latin1').matchAll(pieceBegins)) {
    const start = index + beginning.length;
    const mark = marks[fixed.length];
    const end = endOfText(raw, start);
    if (index < from || mark === undefined || raw[end] !== quote) return undefined;
    fixed.push(Buffer.from(raw.subarray(from, start)));
    trial.push(raw.subarray(from, start), Buffer.from(mark));
    from = end;
  }
  const tail = Buffer.from(raw.subarray(from));
  const found: string[] = [];
  const withTexts = copyingOf(new SseFrame(Buffer.concat([...trial, tail])).json(), found);
  // Each mark came out once, as one value of its own: so nothing else depends on what stands there.
  const isWhole = withTexts !== undefined && found.length === fixed.length && new Set(found).size === found.length;
  return isWhole ? { fixed: [...fixed, tail], withTexts } : undefined;
}

type Copying = (texts: readonly string[]) => unknown;

/** Makes values like this one, with texts where it holds marks; undefined when it holds none. `found` is told of each mark. */
function copyingOf(marked: unknown, found: string[]): Copying | undefined {
  if (typeof marked === 'string') {
    const place = marks.indexOf(marked);
    if (place < 0) return undefined;
    found.push(marked);
    return (texts) => texts[place];
  }
  if (typeof marked !== 'object' || marked === null || Object.hasOwn(marked, '__proto__')) return undefined;
  const copied = Object.entries(marked).flatMap(([key, value]) => {
    const copying = copyingOf(value, found);
    return copying === undefined ? [] : [{ key, copying }];
  });
  if (copied.length === 0) return undefined;
  return (texts) => {
    const copy = (Array.isArray(marked) ? marked.slice() : { ...marked }) as Record<string, unknown>;
    for (const { key, copying } of copied) copy[key] = copying(texts);
    return copy;
  };
}
