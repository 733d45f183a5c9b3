import { AppError } from '@tollgate/runtime';

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
/** So far a string is looked through byte by byte; in a longer one its end is looked for natively. */
const shortString = 32;

/** The body without the byte order mark that some editors and languages put before a text (RFC 8259, 8.1, lets us pass over it). */
export function withoutByteOrderMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/**
 * How many bytes of memory the parsed body will take besides the body itself, about. What would take too much or too long is refused
 * here, before anything is built of it: brackets alone, a few megabytes of them, would take all memory.
 * Throws: AppError `invalid_json`.
 */
export function parsedBytes(body: Buffer): number {
  let depth = 0;
  let containers = 0;
  let commas = 0;
  let members = 0;
  let fields = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === quote) {
      at = stringEnd(body, at);
    } else if (byte === comma) {
      commas += 1;
    } else if (byte === colon) {
      members += 1;
      if (depth === 1) fields += 1;
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      containers += 1;
      if (depth > deepest) throw refused(`it nests deeper than ${deepest} levels`);
      if (containers > mostContainers) throw refused(`it holds more than ${mostContainers} objects and lists`);
    } else if (byte === closeBrace || byte === closeBracket) {
      depth -= 1;
    }
  }
  const values = commas + containers + 1;
  if (values > mostValues) throw refused(`it holds more than ${mostValues} values`);
  if (members > mostMembers) throw refused(`it holds more than ${mostMembers} members`);
  if (fields > mostFields) throw refused(`it holds more than ${mostFields} fields`);
  return body.length + containers * bytesPerContainer + members * bytesPerMember + values * bytesPerValue;
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

/** Where the quote stands that ends the string begun at `start`; the end of the body when there is none. */
function stringEnd(body: Buffer, start: number): number {
  const near = Math.min(body.length, start + shortString);
  let at = start + 1;
  for (; at < near; at += 1) {
    if (body[at] === quote) return at;
    if (body[at] === backslash) at += 1;
  }
  for (let end = body.indexOf(quote, at); end >= 0; end = body.indexOf(quote, end + 1)) {
    let slashes = 0;
    while (end - 1 - slashes >= at && body[end - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return body.length;
}

function refused(reason: string): AppError {
  return new AppError('invalid_json', { reason });
}
