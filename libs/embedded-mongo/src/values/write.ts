import { Double, Long, serialize } from 'bson';
import { bsonType as t } from './document.ts';

/** A document (or array) of elements' bytes. */
export function framed(parts: Buffer[]): Buffer {
  let size = 5;
  for (const part of parts) size += part.length;
  const document = Buffer.allocUnsafe(size);
  document.writeInt32LE(size, 0);
  let at = 4;
  for (const part of parts) at += part.copy(document, at);
  document[at] = 0;
  return document;
}

/** Element bytes of one field, with the bytes of a value as they stand in another document. */
export function elementOf(name: string, type: number, value: Buffer): Buffer {
  const size = Buffer.byteLength(name);
  const element = Buffer.allocUnsafe(size + 2 + value.length);
  element[0] = type;
  element.write(name, 1);
  element[size + 1] = 0;
  value.copy(element, size + 2);
  return element;
}

/** Writes elements of one name, numbers of the common types without a detour over the bson library. */
export function openElementWriter(name: string): (value: unknown) => Buffer {
  const start = Buffer.byteLength(name) + 2;
  const head = Buffer.from(`\0${name}\0`);
  const sized = (type: number, bytes: number): Buffer => {
    const element = Buffer.allocUnsafe(start + bytes);
    head.copy(element);
    element[0] = type;
    return element;
  };
  return (value) => {
    if (typeof value === 'number' && value === (value | 0) && !Object.is(value, -0)) {
      const element = sized(t.int32, 4);
      element.writeInt32LE(value, start);
      return element;
    }
    if (typeof value === 'number' || value instanceof Double) {
      const element = sized(t.double, 8);
      element.writeDoubleLE(Number(value), start);
      return element;
    }
    if (value instanceof Long) {
      const element = sized(t.long, 8);
      element.writeInt32LE(value.low, start);
      element.writeInt32LE(value.high, start + 4);
      return element;
    }
    const document = serialize({ [name]: value });
    return Buffer.from(document.subarray(4, -1));
  };
}
