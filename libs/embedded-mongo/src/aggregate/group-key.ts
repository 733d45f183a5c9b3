import { Double, Int32 } from 'bson';
import { decodeValue } from '../values/decode.ts';
import { bsonType as t } from '../values/document.ts';
import { keyOf } from '../values/key.ts';
import { type BsonNumber, isNumeric } from '../values/numbers.ts';
import { int32At } from '../values/raw.ts';

/** Something that a `Map` tells apart just as MongoDB tells the values of groups apart: 1 and 1.0 are one, a date and a text never. */
export function groupKey(value: unknown): unknown {
  if (typeof value === 'string') return value.charCodeAt(0) === 0 ? anyKey(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return BigInt(value.getTime());
  if (value instanceof Double || value instanceof Int32) return value.value;
  return isNumeric(value) ? numberKey(value) : anyKey(value);
}

/** Longs and decimals that are plain numbers are found under them. */
function numberKey(value: BsonNumber): unknown {
  const plain = Number(value.toString());
  return keyOf(plain).equals(keyOf(value)) ? plain : anyKey(value);
}

/** No text that is its own key begins like this. */
function anyKey(value: unknown): string {
  return `\0${keyOf(value).toString('latin1')}`;
}

/** Reads the keys of one field from documents' bytes. Texts and dates of groups come again and again: one of each is kept at hand. */
export function openKeyReader(): (bytes: Buffer, type: number, at: number) => unknown {
  const texts: string[] = [];
  const textBytes: (Buffer | undefined)[] = new Array(256);
  let [dateHigh, dateLow, date]: [number, number, bigint] = [0, 0, 0n];
  const textAt = (bytes: Buffer, from: number, to: number): unknown => {
    const size = to - from;
    if (size === 0 || bytes[from] === 0) return groupKey(bytes.toString('utf8', from, to));
    const slot = (size * 31 + (bytes[to - 1] as number) * 7 + (bytes[from + (size >> 1)] as number)) & 255;
    const known = textBytes[slot];
    if (known?.length === size) {
      let same = 0;
      while (same < size && known[same] === bytes[from + same]) same++;
      if (same === size) return texts[slot];
    }
    const text = bytes.toString('utf8', from, to);
    texts[slot] = text;
    textBytes[slot] = Buffer.from(bytes.subarray(from, to));
    return text;
  };
  return (bytes, type, at) => {
    if (type === t.int32) return int32At(bytes, at);
    if (type === t.string) return textAt(bytes, at + 4, at + 3 + int32At(bytes, at));
    if (type !== t.date) return type === 0 ? undefined : groupKey(decodeValue(bytes, type, at));
    const [low, high] = [int32At(bytes, at), int32At(bytes, at + 4)];
    if (low !== dateLow || high !== dateHigh) {
      [dateLow, dateHigh] = [low, high];
      date = BigInt(high * 4294967296 + (low >>> 0));
    }
    return date;
  };
}
