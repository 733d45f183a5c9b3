/**
 * A decoded document. Numbers are kept as sent: int32 and fractional doubles are plain numbers, a double with an integral
 * value is a `Double`, and `Long` and `Decimal128` stay themselves, so that encoding again gives the same bytes.
 */
export type Doc = Record<string, unknown>;

/** BSON element types by name. */
export const bsonType = {
  double: 0x01,
  string: 0x02,
  object: 0x03,
  array: 0x04,
  binary: 0x05,
  undefined: 0x06,
  objectId: 0x07,
  boolean: 0x08,
  date: 0x09,
  null: 0x0a,
  regex: 0x0b,
  dbPointer: 0x0c,
  code: 0x0d,
  symbol: 0x0e,
  codeWithScope: 0x0f,
  int32: 0x10,
  timestamp: 0x11,
  long: 0x12,
  decimal: 0x13,
  minKey: 0xff,
  maxKey: 0x7f,
} as const;

/** Largest document, as in MongoDB. */
export const maxDocumentBytes = 16 * 1024 * 1024;

/** The bytes as a Buffer over the same memory. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
