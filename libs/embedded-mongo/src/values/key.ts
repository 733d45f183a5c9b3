import { serialize } from 'bson';
import { bsonType as t } from './document.ts';
import { elements, int32At, nameEnd } from './raw.ts';

/*
 * Values as byte strings whose order under memcmp is MongoDB's order of values. Every encoding is prefix-free, so keys of
 * compound indexes are simply joined. The first byte is the type's class:
 */
const undefinedClass = 0x08;
const nullClass = 0x10;
const numberClass = 0x18;
const stringClass = 0x20;
const otherClasses: Record<number, number> = {
  [t.minKey]: 0x02,
  [t.object]: 0x28,
  [t.array]: 0x30,
  [t.binary]: 0x38,
  [t.objectId]: 0x40,
  [t.boolean]: 0x48,
  [t.date]: 0x50,
  [t.timestamp]: 0x58,
  [t.regex]: 0x60,
  [t.dbPointer]: 0x68,
  [t.code]: 0x70,
  [t.codeWithScope]: 0x78,
  [t.maxKey]: 0xf0,
};

/** Shorter keys, nearly all, are copied quicker byte by byte than by a native call. */
const longForLoop = 64;

let scratch = Buffer.allocUnsafe(4096);
let length = 0;
const float = new DataView(new ArrayBuffer(8));

function room(bytes: number): void {
  if (length + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafe((length + bytes) * 2);
  scratch.copy(larger, 0, 0, length);
  scratch = larger;
}

/** Starts a new key in the shared scratch buffer. */
export function beginKey(): void {
  length = 0;
}

/** How many bytes the key has so far. */
export function keyLength(): number {
  return length;
}

/** The key as a buffer of its own. */
export function endKey(): Buffer {
  const key = Buffer.allocUnsafe(length);
  if (length > longForLoop) scratch.copy(key, 0, 0, length);
  else for (let i = 0; i < length; i++) key[i] = scratch[i] as number;
  return key;
}

/** The key inside the scratch buffer: valid until the next key is begun. */
export function borrowKey(): Buffer {
  return scratch.subarray(0, length);
}

/** Turns the order of everything written since `start` around, for a descending index field. */
export function invertFrom(start: number): void {
  for (let i = start; i < length; i++) scratch[i] = ~(scratch[i] as number) & 0xff;
}

/** The class byte of a BSON type. */
export function classOf(type: number): number {
  if (type === t.string || type === t.symbol) return stringClass;
  if (type === t.int32 || type === t.double || type === t.long || type === t.decimal) return numberClass;
  if (type === 0 || type === t.null) return nullClass;
  if (type === t.undefined) return undefinedClass;
  return otherClasses[type] ?? 0xe0;
}

/** Appends one value; type 0 (missing) counts as null. */
export function putValue(bytes: Buffer, type: number, at: number): void {
  room(24);
  const kind = classOf(type);
  scratch[length++] = kind;
  switch (type) {
    case t.int32:
      putNumber(int32At(bytes, at));
      return;
    case t.double:
      putNumber(bytes.readDoubleLE(at));
      return;
    case t.long:
      putLong(bytes, at);
      return;
    case t.decimal:
      putDecimal(bytes, at);
      return;
    case t.string:
    case t.symbol:
      putText(bytes, at + 4, at + 3 + int32At(bytes, at));
      return;
    case t.code:
      putText(bytes, at + 4, at + 3 + int32At(bytes, at));
      return;
    case t.objectId:
      for (let i = 0; i < 12; i++) scratch[length++] = bytes[at + i] as number;
      return;
    case t.boolean:
      scratch[length++] = bytes[at] as number;
      return;
    case t.date:
    case t.timestamp:
      for (let i = 7; i >= 0; i--) scratch[length++] = bytes[at + i] as number;
      if (type === t.date) scratch[length - 8] = (scratch[length - 8] as number) ^ 0x80;
      return;
    case t.binary:
      putBinary(bytes, at);
      return;
    case t.object:
    case t.array:
      putNested(bytes, type, at);
      return;
    case t.regex: {
      const patternEnd = nameEnd(bytes, at);
      putText(bytes, at, patternEnd);
      putText(bytes, patternEnd + 1, nameEnd(bytes, patternEnd + 1));
      return;
    }
  }
}

function putNumber(value: number): void {
  if (Number.isNaN(value)) {
    for (let i = 0; i < 9; i++) scratch[length++] = 0;
    return;
  }
  float.setFloat64(0, value === 0 ? 0 : value);
  const high = float.getUint32(0);
  const low = float.getUint32(4);
  const mask = high & 0x80000000 ? 0xffffffff : 0;
  const sortedHigh = mask ? ~high : high ^ 0x80000000;
  const sortedLow = low ^ mask;
  scratch[length++] = sortedHigh >>> 24;
  scratch[length++] = (sortedHigh >>> 16) & 0xff;
  scratch[length++] = (sortedHigh >>> 8) & 0xff;
  scratch[length++] = sortedHigh & 0xff;
  scratch[length++] = sortedLow >>> 24;
  scratch[length++] = (sortedLow >>> 16) & 0xff;
  scratch[length++] = (sortedLow >>> 8) & 0xff;
  scratch[length++] = sortedLow & 0xff;
  scratch[length++] = 0; // exact: nothing between this double and the value
}

/** A long beyond 2^53 is the next lower double and what is missing to it, which is below 2^11. */
function putLong(bytes: Buffer, at: number): void {
  const high = int32At(bytes, at + 4);
  if (high >= -0x200000 && high < 0x200000) {
    putNumber(high * 4294967296 + (int32At(bytes, at) >>> 0));
    return;
  }
  const value = bytes.readBigInt64LE(at);
  let floor = Number(value);
  if (BigInt(floor) > value) {
    float.setFloat64(0, floor);
    float.setBigUint64(0, float.getBigUint64(0) + (floor > 0 ? -1n : 1n));
    floor = float.getFloat64(0);
  }
  putNumber(floor);
  const missing = Number(value - BigInt(floor));
  if (missing === 0) return;
  scratch[length - 1] = 1;
  scratch[length++] = missing >>> 8;
  scratch[length++] = missing & 0xff;
}

/** A decimal that no double equals follows the double nearest to it and is told apart by its digits. */
function putDecimal(bytes: Buffer, at: number): void {
  const text = decimalText(bytes, at);
  const near = Number(text);
  putNumber(near);
  if (!Number.isFinite(near) || plainDigits(String(near)) === plainDigits(text)) return;
  scratch[length - 1] = 2;
  const digits = Buffer.from(plainDigits(text));
  room(digits.length + 8);
  putText(digits, 0, digits.length);
}

let decimalText: (bytes: Buffer, at: number) => string = () => {
  throw new Error('no decimal reader');
};

/** How 16 bytes of a Decimal128 are read; set once by the decoder, which knows the type. */
export function readDecimalsWith(reader: (bytes: Buffer, at: number) => string): void {
  decimalText = reader;
}

/** Digits without leading or trailing zeros, and the exponent: equal for equal numbers. */
function plainDigits(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d*)(?:\.(\d*))?(?:E([+-]?\d+))?$/i.exec(text) ?? [];
  const all = whole + fraction;
  let end = all.length;
  while (all[end - 1] === '0') end -= 1;
  const digits = all.slice(0, end).replace(/^0+/, '');
  if (digits === '') return '0';
  return `${sign}${digits}e${Number(exponent) - fraction.length + all.length - end}`;
}

function putText(bytes: Buffer, from: number, to: number): void {
  room((to - from) * 2 + 2);
  for (let i = from; i < to; i++) {
    const byte = bytes[i] as number;
    scratch[length++] = byte;
    if (byte === 0) scratch[length++] = 0xff;
  }
  scratch[length++] = 0;
  scratch[length++] = 1;
}

function putBinary(bytes: Buffer, at: number): void {
  const size = int32At(bytes, at);
  room(size + 5);
  scratch.writeUInt32BE(size, length);
  length += 4;
  scratch[length++] = bytes[at + 4] as number;
  bytes.copy(scratch, length, at + 5, at + 5 + size);
  length += size;
}

function putNested(bytes: Buffer, type: number, at: number): void {
  for (const element of elements(bytes, at)) {
    room(2);
    if (type === t.object) {
      scratch[length++] = classOf(element.type);
      putText(bytes, element.nameAt, element.nameEnd);
    }
    putValue(bytes, element.type, element.at);
  }
  room(1);
  scratch[length++] = 0;
}

/** Key of one JavaScript value, which may be any that BSON knows. */
export function keyOf(value: unknown): Buffer {
  beginKey();
  putJsValue(value);
  return endKey();
}

/** Appends a JavaScript value to the key. */
export function putJsValue(value: unknown): void {
  const bytes = Buffer.from(serialize({ '': value }, { ignoreUndefined: false }));
  putValue(bytes, bytes[4] as number, 6);
}
