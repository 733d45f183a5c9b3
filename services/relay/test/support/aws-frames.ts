import { crc32 } from 'node:zlib';

export const awsFrames = 'application/vnd.amazon.eventstream';

/** Unsigned numbers of 32 bits, the most significant byte first. */
export function words32(...numbers: number[]): Buffer {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [at, number] of numbers.entries()) bytes.writeUInt32BE(number, 4 * at);
  return bytes;
}

/** The two lengths that open a frame, with their checksum. */
export function prelude(frameBytes: number, headerBytes: number): Buffer {
  const lengths = words32(frameBytes, headerBytes);
  return Buffer.concat([lengths, words32(crc32(lengths))]);
}

/** A frame as Amazon makes it. Source: https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html */
export function awsFrame(headers: Record<string, string>, payload: string): Buffer {
  const named = Buffer.concat(Object.entries(headers).map(([name, value]) => headerOf(name, value)));
  const body = Buffer.from(payload);
  const frame = Buffer.concat([prelude(named.length + body.length + 16, named.length), named, body]);
  return Buffer.concat([frame, words32(crc32(frame))]);
}

/** A header whose value is a text (type 7). */
function headerOf(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), length, Buffer.from(value)]);
}

/** One event of a model, given as JSON. */
export function eventFrame(json: string): Buffer {
  const headers = { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' };
  return awsFrame(headers, JSON.stringify({ bytes: Buffer.from(json).toString('base64') }));
}

export function exceptionFrame(type: string, message: string): Buffer {
  const headers = { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' };
  return awsFrame(headers, JSON.stringify({ message }));
}
