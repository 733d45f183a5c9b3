/* Encodes and decodes Kafka's primitive types (https://kafka.apache.org/protocol#protocol_types). */

/** A string with a two-byte length prefix. */
export function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([int16(bytes.length), bytes]);
}

export function int16(value: number): Buffer {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(value);
  return buffer;
}

export function int32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(value);
  return buffer;
}

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  while (left >= 0x80) {
    bytes.push((left & 0x7f) | 0x80);
    left >>>= 7;
  }
  return Buffer.from([...bytes, left]);
}

/** Reads Kafka's "flexible" encoding: lengths are variable-length integers plus one, and every structure ends with tagged fields. */
export function reader(body: Buffer) {
  let at = 0;
  /** Advances the position and returns the old one. */
  const step = (bytes: number) => {
    at += bytes;
    return at - bytes;
  };
  const skip = (bytes: number) => void step(bytes);
  const bytes = (length: number) => body.subarray(step(length), at);
  const int16 = () => body.readInt16BE(step(2));
  const int32 = () => body.readInt32BE(step(4));
  const unsigned = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = body.readUInt8(step(1));
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const count = () => Math.max(0, unsigned() - 1);
  const text = () => bytes(count()).toString();
  const tags = () => {
    for (let left = unsigned(); left > 0; left -= 1) {
      unsigned();
      skip(unsigned());
    }
  };
  /** Reads an array of structures and returns its length. */
  const each = (item: () => void) => {
    const items = count();
    for (let done = 0; done < items; done += 1) {
      item();
      tags();
    }
    return items;
  };
  return { skip, bytes, int16, int32, count, text, tags, each };
}
