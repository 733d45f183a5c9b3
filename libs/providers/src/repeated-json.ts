import { isObject, objectsIn } from './objects.ts';
import type { JsonObject } from './provider.ts';
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
  /** What such a frame says; the strings stand in it at `places`. */
  value: unknown;
  places: readonly Place[];
}

interface Place {
  holder: JsonObject;
  key: string;
}

/**
 * Reads the JSON of a stream's frames. Most say again what the one before said, with another piece of the answer: of those the pieces alone
 * are read. What it says equals `SseFrame.json`; of frames that repeat each other it is the same object each time, with the pieces of the
 * last: who wants to keep one has to copy it.
 */
export class RepeatedJson {
  #pattern: Pattern | undefined;
  /** Frames that fitted the pattern; one behind the other that did not; patterns that hardly any frame fitted. */
  #fitted = 0;
  #unfitted = 0;
  #inVain = 0;
  #texts: string[] = [];

  /** What a frame says that repeats the one before it; undefined when it does not. */
  again(raw: Buffer): unknown {
    const pattern = this.#pattern;
    if (pattern === undefined || !this.#fits(raw, pattern.fixed)) return undefined;
    this.#fitted += 1;
    this.#unfitted = 0;
    for (let i = 0; i < pattern.places.length; i += 1) {
      const { holder, key } = pattern.places[i] as Place;
      holder[key] = this.#texts[i];
    }
    return pattern.value;
  }

  /** What any other frame with data says. */
  anew(frame: SseFrame): unknown {
    const { raw } = frame;
    this.#unfitted += 1;
    if (this.#unfitted > mostUnfitted && this.#inVain < mostInVain && raw.length < longFrame) this.#learn(raw);
    return frame.json();
  }

  /** Whether a frame is of the pattern; then `#texts` are its strings. */
  #fits(raw: Buffer, fixed: readonly Buffer[]): boolean {
    let at = 0;
    for (let i = 0; i < fixed.length; i += 1) {
      const part = fixed[i] as Buffer;
      if (!standsAt(raw, at, part)) return false;
      at += part.length;
      if (i + 1 < fixed.length) {
        const start = at;
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
    this.#texts = new Array(this.#pattern?.places.length ?? 0);
  }
}

/** Whether `part` stands in a frame, there. Byte by byte: of so few, a call of Node's own costs more. */
function standsAt(raw: Buffer, at: number, part: Buffer): boolean {
  if (at + part.length > raw.length) return false;
  for (let i = 0; i < part.length; i += 1) if (raw[at + i] !== part[i]) return false;
  return true;
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
  const value = new SseFrame(Buffer.concat([...trial, tail])).json();
  const places = placesIn(value, fixed.length);
  return places && { fixed: [...fixed, tail], value, places: [...places] }; // lists that are pushed to have room for more: each stream keeps these
}

/**
 * Where the first marks stand: in a chunk, its choices and their pieces, each once and nowhere else, so that nothing depends on what stands
 * there. undefined: not all of them do.
 */
function placesIn(value: unknown, count: number): Place[] | undefined {
  if (!isObject(value) || count === 0) return undefined;
  const text = JSON.stringify(value);
  const holders = holdersIn(value);
  const places: Place[] = [];
  for (const mark of marks.slice(0, count)) {
    const holder = holders.find((each) => Object.values(each).includes(mark));
    const key = holder && Object.keys(holder).find((each) => holder[each] === mark);
    if (key === undefined || text.split(mark).length !== 2) return undefined;
    places.push({ holder: holder as JsonObject, key });
  }
  return places;
}

function holdersIn(value: JsonObject): JsonObject[] {
  const choices = objectsIn(value.choices);
  return [value, ...choices, ...choices.map(({ delta }) => delta).filter(isObject)];
}
