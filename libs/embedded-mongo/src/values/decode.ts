import { Binary, Decimal128, Double, deserialize, Long, ObjectId } from 'bson';
import { type Doc, bsonType as t } from './document.ts';
import { readDecimalsWith } from './key.ts';
import { openLocator } from './locate.ts';
import { int32At, nameEnd, valueEnd } from './raw.ts';

/** Field names are few and come again and again: a small direct-mapped cache spares most string creations. */
const cachedNames: string[] = new Array(4096).fill('');
const cachedBytes: (Buffer | undefined)[] = new Array(4096);

function nameOf(bytes: Buffer, from: number, to: number): string {
  const size = to - from;
  const slot = (size * 131 + (bytes[from] as number) * 31 + (bytes[to - 1] as number) * 7 + (bytes[from + (size >> 1)] as number)) & 4095;
  const known = cachedBytes[slot];
  if (known !== undefined && known.length === size) {
    let same = 0;
    while (same < size && known[same] === bytes[from + same]) same++;
    if (same === size) return cachedNames[slot] as string;
  }
  const name = bytes.toString('utf8', from, to);
  if (size <= 64) {
    cachedBytes[slot] = Buffer.from(bytes.subarray(from, to));
    cachedNames[slot] = name;
  }
  return name;
}

/** Decodes only some top-level fields of documents, without looking at the others' values or names. */
export function openDecoder(names: Iterable<string>): (bytes: Buffer) => Doc {
  const { slots, types, offsets, locate } = openLocator(names);
  const wanted = [...slots.keys()];
  return (bytes) => {
    locate(bytes);
    const document: Doc = {};
    for (let slot = 0; slot < wanted.length; slot++) {
      const type = types[slot] as number;
      if (type !== 0) setField(document, wanted[slot] as string, decodeValue(bytes, type, offsets[slot] as number));
    }
    return document;
  };
}

/** Decodes the document at `start`; `wanted`, when given, limits it to these top-level fields. */
export function decode(bytes: Buffer, start = 0, wanted?: ReadonlySet<string>): Doc {
  const document: Doc = {};
  const last = start + int32At(bytes, start) - 1;
  let at = start + 4;
  while (at < last) {
    const type = bytes[at] as number;
    const stop = nameEnd(bytes, at + 1);
    const end = valueEnd(bytes, type, stop + 1);
    const name = nameOf(bytes, at + 1, stop);
    if (wanted === undefined || wanted.has(name)) setField(document, name, decodeValue(bytes, type, stop + 1, end));
    at = end;
  }
  return document;
}

function setField(document: Doc, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(document, name, { value, enumerable: true, configurable: true, writable: true });
  else document[name] = value;
}

/** Decodes one value. */
export function decodeValue(bytes: Buffer, type: number, at: number, end = valueEnd(bytes, type, at)): unknown {
  switch (type) {
    case t.int32:
      return int32At(bytes, at);
    case t.string:
      return bytes.toString('utf8', at + 4, end - 1);
    case t.double: {
      const value = bytes.readDoubleLE(at);
      return value === (value | 0) && !Object.is(value, -0) ? new Double(value) : value;
    }
    case t.long:
      return Long.fromBits(int32At(bytes, at), int32At(bytes, at + 4));
    case t.boolean:
      return bytes[at] === 1;
    case t.null:
      return null;
    case t.undefined:
      return undefined;
    case t.date:
      return new Date(int32At(bytes, at + 4) * 4294967296 + (int32At(bytes, at) >>> 0));
    case t.objectId:
      return new ObjectId(Buffer.from(bytes.subarray(at, at + 12)));
    case t.object:
      return decode(bytes, at);
    case t.array:
      return decodeArray(bytes, at);
    case t.binary:
      if (bytes[at + 4] !== 2) return new Binary(Buffer.from(bytes.subarray(at + 5, end)), bytes[at + 4]);
      return decodeRare(bytes, type, at, end);
    default:
      return decodeRare(bytes, type, at, end);
  }
}

function decodeArray(bytes: Buffer, start: number): unknown[] {
  const values: unknown[] = [];
  const last = start + int32At(bytes, start) - 1;
  let at = start + 4;
  while (at < last) {
    const type = bytes[at] as number;
    const from = nameEnd(bytes, at + 1) + 1;
    const end = valueEnd(bytes, type, from);
    values.push(decodeValue(bytes, type, from, end));
    at = end;
  }
  return values;
}

/** Types that hardly occur are left to the bson library, wrapped in a document of their own. */
function decodeRare(bytes: Buffer, type: number, at: number, end: number): unknown {
  const wrapped = Buffer.alloc(end - at + 7);
  wrapped.writeInt32LE(wrapped.length, 0);
  wrapped[4] = type;
  bytes.copy(wrapped, 6, at, end);
  return deserialize(wrapped, { promoteValues: false, promoteLongs: false, bsonRegExp: true })[''];
}

readDecimalsWith((bytes, at) => new Decimal128(Buffer.from(bytes.subarray(at, at + 16))).toString());
