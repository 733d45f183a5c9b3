import { refused } from './json-scan.ts';

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
