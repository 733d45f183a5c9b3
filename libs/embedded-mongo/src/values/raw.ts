import { CommandError } from '../errors.ts';
import { bsonType as t } from './document.ts';

const damaged = () => new CommandError(22, 'invalid BSON: a length points outside its document');

/** Little-endian signed 32 bits at `at`. */
export function int32At(bytes: Buffer, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8) | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
}

/** Index of the zero byte that ends the name at `at`. */
export function nameEnd(bytes: Buffer, at: number): number {
  let end = at;
  while (bytes[end] !== 0) if (++end >= bytes.length) throw damaged();
  return end;
}

/** Offset just past the value of `type` at `at`. */
export function valueEnd(bytes: Buffer, type: number, at: number): number {
  switch (type) {
    case t.int32:
      return at + 4;
    case t.string:
    case t.code:
    case t.symbol:
      return at + 4 + int32At(bytes, at);
    case t.double:
    case t.date:
    case t.long:
    case t.timestamp:
      return at + 8;
    case t.boolean:
      return at + 1;
    case t.null:
    case t.undefined:
    case t.minKey:
    case t.maxKey:
      return at;
    case t.objectId:
      return at + 12;
    case t.object:
    case t.array:
    case t.codeWithScope:
      return at + int32At(bytes, at);
    case t.binary:
      return at + 5 + int32At(bytes, at);
    case t.decimal:
      return at + 16;
    case t.regex:
      return nameEnd(bytes, nameEnd(bytes, at) + 1) + 1;
    case t.dbPointer:
      return at + 4 + int32At(bytes, at) + 12;
    default:
      throw new CommandError(22, `invalid BSON: unknown element type 0x${type.toString(16)}`);
  }
}

/**
 * Walks a document that came over the wire, so that every later reader may trust its lengths.
 * Throws: CommandError 22 (damaged), 15 (nested deeper than 180).
 */
export function validate(bytes: Buffer, start: number, end: number, depth = 0): void {
  if (depth > 180) throw new CommandError(15, 'the document is nested deeper than 180 levels');
  if (start + 5 > end || start + int32At(bytes, start) !== end || bytes[end - 1] !== 0) throw damaged();
  let at = start + 4;
  while (at < end - 1) {
    const type = bytes[at++] as number;
    while (bytes[at] !== 0) if (++at >= end) throw damaged();
    at++;
    const next = valueEnd(bytes, type, at);
    if (next > end - 1 || next < at) throw damaged();
    if (type === t.object || type === t.array) validate(bytes, at, next, depth + 1);
    else if (type === t.string && (next < at + 5 || bytes[next - 1] !== 0)) throw damaged();
    at = next;
  }
  if (at !== end - 1) throw damaged();
}

/** Where a value lies: `bytes[at]` onwards, of `type`. Type 0 is a missing value. */
export interface Place {
  type: number;
  at: number;
}

/** The element `name` of the document at `start`, or type 0. */
export function findField(bytes: Buffer, start: number, name: Buffer): Place {
  const end = start + int32At(bytes, start) - 1;
  const length = name.length;
  let at = start + 4;
  while (at < end) {
    const type = bytes[at] as number;
    const from = at + 1;
    let same = 0;
    while (same < length && bytes[from + same] === name[same]) same++;
    if (same === length && bytes[from + length] === 0) return { type, at: from + length + 1 };
    at = valueEnd(bytes, type, nameEnd(bytes, from + same) + 1);
  }
  return { type: 0, at: 0 };
}

/** Every element of the document or array at `start`. */
export function* elements(
  bytes: Buffer,
  start: number,
): Generator<{ type: number; nameAt: number; nameEnd: number; at: number; end: number }> {
  const last = start + int32At(bytes, start) - 1;
  let at = start + 4;
  while (at < last) {
    const type = bytes[at] as number;
    const stop = nameEnd(bytes, at + 1);
    const end = valueEnd(bytes, type, stop + 1);
    yield { type, nameAt: at + 1, nameEnd: stop, at: stop + 1, end };
    at = end;
  }
}

/** A dotted path, ready to be followed through raw documents. */
export interface Path {
  name: string;
  parts: { name: Buffer; isIndex: boolean }[];
}

/** Splits a dotted path. */
export function parsePath(name: string): Path {
  return { name, parts: name.split('.').map((part) => ({ name: Buffer.from(part), isIndex: /^\d+$/.test(part) })) };
}

/**
 * Visits every value that `path` reaches, going into arrays as MongoDB does; a missing end is visited as type 0.
 * A last array is visited itself (`whole: true`) after its elements; an empty one only itself.
 */
export function visitPath(
  bytes: Buffer,
  start: number,
  path: Path,
  visit: (type: number, at: number, whole: boolean) => void,
  from = 0,
): void {
  const part = path.parts[from] as Path['parts'][number];
  const { type, at } = findField(bytes, start, part.name);
  visitValue(bytes, { type, at }, path, visit, from + 1);
}

/** The same from a value that is known already: `from` parts of the path are behind it. */
export function visitValue(
  bytes: Buffer,
  place: Place,
  path: Path,
  visit: (type: number, at: number, whole: boolean) => void,
  from: number,
): void {
  const { type, at } = place;
  if (from === path.parts.length) {
    if (type === t.array) {
      for (const element of elements(bytes, at)) visit(element.type, element.at, false);
      visit(type, at, true);
    } else visit(type, at, false);
    return;
  }
  if (type !== t.array) {
    if (type === t.object) visitPath(bytes, at, path, visit, from);
    else visit(0, 0, false);
    return;
  }
  const part = path.parts[from] as Path['parts'][number];
  if (part.isIndex) {
    const direct = findField(bytes, at, part.name);
    if (direct.type !== 0) visitValue(bytes, direct, path, visit, from + 1);
  }
  for (const element of elements(bytes, at)) {
    if (element.type === t.object) visitPath(bytes, element.at, path, visit, from);
  }
}
