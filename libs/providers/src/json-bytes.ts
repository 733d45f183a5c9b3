/** Changes of a JSON object's top level. A key both set and removed is set. */
export interface JsonEdits {
  /** Keys that get this value, in place or at the end; undefined changes nothing. */
  set?: Readonly<Record<string, unknown>>;
  remove?: readonly string[];
  /** Fields of which the rules of the model took something away. */
  changed?: readonly string[];
  /** Somebody has seen that no key stands there twice. */
  isUnique?: boolean;
}

/** One member of an object, as positions in its bytes. */
export interface JsonMember {
  key: string;
  /** Where the key's quote stands. */
  start: number;
  valueStart: number;
  valueEnd: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * The members of the object that `bytes` hold, in order, duplicates too. One pass, in which strings are skipped natively, so
 * it costs little even with megabytes of images. It finds what is cut off, but does not judge what stands inside values.
 * Throws: SyntaxError when the bytes are no object or end too early.
 */
export function membersOf(bytes: Buffer): JsonMember[] {
  const members: JsonMember[] = [];
  let at = skipSpace(bytes, 0);
  if (bytes[at] !== openBrace) throw new SyntaxError('not a JSON object');
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === closeBrace) {
    at += 1;
  } else {
    for (;;) {
      if (bytes[at] !== quote) throw new SyntaxError(`a key was expected at byte ${at}`);
      const start = at;
      at = stringEnd(bytes, at);
      const key = textOf(bytes, start, at);
      at = skipSpace(bytes, at);
      if (bytes[at] !== colon) throw new SyntaxError(`a colon was expected at byte ${at}`);
      const valueStart = skipSpace(bytes, at + 1);
      const valueEnd = endOfValue(bytes, valueStart);
      if (valueEnd === valueStart) throw new SyntaxError(`a value was expected at byte ${valueStart}`);
      members.push({ key, start, valueStart, valueEnd });
      at = skipSpace(bytes, valueEnd);
      if (bytes[at] === closeBrace) {
        at += 1;
        break;
      }
      if (bytes[at] !== comma) throw new SyntaxError(`the object breaks off at byte ${at}`);
      at = skipSpace(bytes, at + 1);
    }
  }
  if (skipSpace(bytes, at) !== bytes.length) throw new SyntaxError(`something follows the object at byte ${at}`);
  return members;
}

/** How many items a member has that is a list; 0 for any other. Throws: SyntaxError where it breaks off. */
export function lengthOfList(bytes: Buffer, { valueStart, valueEnd }: JsonMember): number {
  if (bytes[valueStart] !== openBracket) return 0;
  let items = 0;
  for (let at = skipSpace(bytes, valueStart + 1); at < valueEnd - 1; at = skipSpace(bytes, at + 1)) {
    const end = endOfValue(bytes, at);
    if (end === at) throw new SyntaxError(`a value was expected at byte ${at}`);
    items += 1;
    at = skipSpace(bytes, end);
  }
  return items;
}

/** One top-level value, parsed; undefined when the key is missing. The last of several counts, as with JSON.parse. */
export function memberValue(bytes: Buffer, members: readonly JsonMember[], key: string): unknown {
  const member = members.findLast((candidate) => candidate.key === key);
  return member === undefined ? undefined : JSON.parse(bytes.toString('utf8', member.valueStart, member.valueEnd));
}

/**
 * `bytes` with some top-level keys changed and all else as it was sent: unknown fields, number formats, explicit zeros.
 * Of keys that stand there twice only the last stays, the one JSON.parse sees, so that nobody downstream can read another
 * request than the one we checked and priced. Nothing to change: the same buffer comes back.
 * Throws: SyntaxError when the bytes are no object.
 */
export function patchJson(bytes: Buffer, edits: JsonEdits): Buffer {
  if (edits.isUnique && changesNothing(edits)) return bytes;
  const members = membersOf(bytes);
  const set = new Map(Object.entries(edits.set ?? {}).filter(([, value]) => value !== undefined));
  const remove = new Set(edits.remove ?? []);
  const last = new Map(members.map((member, index) => [member.key, index]));
  if (set.size === 0 && remove.size === 0 && last.size === members.length) return bytes;

  const pieces: Buffer[] = [];
  let run: { start: number; end: number } | undefined; // neighbours that stay are copied as one piece, separators and all
  let isEmpty = true;
  let changes = 0;
  const add = (piece: Buffer) => {
    pieces.push(isEmpty ? openText : commaText, piece);
    isEmpty = false;
  };
  const closeRun = () => {
    if (run !== undefined) add(bytes.subarray(run.start, run.end));
    run = undefined;
  };
  for (const [index, member] of members.entries()) {
    const isShadowed = last.get(member.key) !== index;
    if (!isShadowed && !set.has(member.key) && !remove.has(member.key)) {
      run = { start: run?.start ?? member.start, end: member.valueEnd };
      continue;
    }
    changes += 1;
    closeRun();
    if (isShadowed || !set.has(member.key)) continue;
    add(Buffer.from(`${JSON.stringify(member.key)}:${JSON.stringify(set.get(member.key))}`));
    set.delete(member.key);
  }
  closeRun();
  for (const [key, value] of set) {
    changes += 1;
    add(Buffer.from(`${JSON.stringify(key)}:${JSON.stringify(value)}`));
  }
  if (changes === 0) return bytes;
  pieces.push(isEmpty ? Buffer.from('{}') : closeText);
  return Buffer.concat(pieces);
}

function changesNothing({ set = {}, remove = [] }: JsonEdits): boolean {
  if (remove.length > 0) return false;
  for (const key in set) if (set[key] !== undefined) return false;
  return true;
}

const openText = Buffer.from('{');
const commaText = Buffer.from(',');
const closeText = Buffer.from('}');

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at += 1;
  return at;
}

/** The position after the string whose opening quote stands at `from`. */
function stringEnd(bytes: Buffer, from: number): number {
  for (let at = from + 1; ; ) {
    const end = bytes.indexOf(quote, at);
    if (end < 0) throw new SyntaxError('a string breaks off');
    let slashes = 0;
    while (bytes[end - 1 - slashes] === backslash && end - 1 - slashes > from) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
    at = end + 1;
  }
}

function textOf(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text;
}

/** The position after the value that starts at `from`. */
function endOfValue(bytes: Buffer, from: number): number {
  const first = bytes[from];
  if (first === quote) return stringEnd(bytes, from);
  let at = from;
  if (first !== openBrace && first !== openBracket) {
    while (at < bytes.length && !endsScalar(bytes[at])) at += 1;
    return at;
  }
  let depth = 0;
  while (at < bytes.length) {
    const byte = bytes[at];
    if (byte === quote) {
      at = stringEnd(bytes, at);
      continue;
    }
    at += 1;
    if (byte === openBrace || byte === openBracket) depth += 1;
    else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  throw new SyntaxError('a value breaks off');
}

function endsScalar(byte: number | undefined): boolean {
  return byte === comma || byte === closeBrace || byte === closeBracket || byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
