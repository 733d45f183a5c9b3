import { EventStreamCodec, type Message } from '@smithy/eventstream-codec';
import type { FrameReader, Framing } from './framing.ts';
import { HeldBytes } from './held-bytes.ts';
import { eventObject, unreadable } from './read-answer-shape.ts';
import { maxFrameBytes, SseFrame, SseFrameTooLarge } from './sse.ts';

/** AWS's binary event frames. Source: https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html */
export const awsEvents: Framing = {
  accept: 'application/vnd.amazon.eventstream',
  isStream: (mediaType) => mediaType.includes('application/vnd.amazon.eventstream'),
  open: () => new AwsEventReader(),
};

/** Amazon's 424, a failure of the model: by itself it would be the caller's. */
export const modelFailure = 502;

/** What the exceptions of a stream mean as a status. Source: the Bedrock Runtime API, InvokeModelWithResponseStream */
const statuses = new Map([
  ['throttlingException', 429],
  ['modelStreamErrorException', modelFailure],
  ['internalServerException', 500],
  ['serviceUnavailableException', 503],
  ['modelTimeoutException', 408],
  ['validationException', 400],
]);

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString('utf8'),
  (text) => Buffer.from(text, 'utf8'),
);
/** Two lengths and their checksum before, one checksum behind. */
const leastFrame = 16;

/** The events in frames, each checked by both of its checksums; an exception comes out as an event `error`. */
class AwsEventReader implements FrameReader {
  /** Of the frame that has not ended. */
  readonly #held = new HeldBytes();
  /** How long that frame is, once that is known. */
  #wanted = 4;

  get keptBytes(): number {
    return this.#held.keptBytes;
  }

  drop(): void {
    this.#held.drop();
  }

  *push(bytes: Buffer): Generator<SseFrame> {
    let rest = bytes;
    if (this.#held.length > 0) {
      this.#held.add(bytes);
      if (this.#held.length < this.#wanted) return;
      rest = this.#held.take();
    }
    for (this.#wanted = lengthOf(rest); rest.length >= this.#wanted; this.#wanted = lengthOf(rest)) {
      const frame = eventIn(rest.subarray(0, this.#wanted));
      rest = rest.subarray(this.#wanted);
      if (frame !== undefined) yield frame;
    }
    if (rest.length > 0) this.#held.add(rest);
  }

  /** Half a frame says nothing: its checksum is missing. */
  end(): readonly SseFrame[] {
    return [];
  }
}

/** Of the frame that begins here; how much is needed to know it while that has not come. */
function lengthOf(bytes: Buffer): number {
  if (bytes.length < 4) return 4;
  const length = bytes.readUInt32BE(0);
  if (length > maxFrameBytes) throw new SseFrameTooLarge(`an event of more than ${maxFrameBytes} bytes`);
  if (length < leastFrame) throw unreadable('a frame that is too short');
  return length;
}

function eventIn(frame: Buffer): SseFrame | undefined {
  const { headers, body } = messageIn(frame);
  const text = Buffer.from(body).toString('utf8');
  const kind = headers[':message-type']?.value;
  if (kind === 'exception' || kind === 'error') {
    const name = String(headers[':exception-type']?.value ?? headers[':error-code']?.value ?? 'exception');
    const stated = eventObject(text)?.message ?? headers[':error-message']?.value;
    return event({ type: 'error', error: { type: name, message: String(stated ?? name), code: statuses.get(name) ?? 500 } });
  }
  const packed = eventObject(text)?.bytes;
  if (typeof packed !== 'string') return undefined; // an event of another kind
  return event(eventObject(Buffer.from(packed, 'base64').toString('utf8'), { isExact: true }) ?? {});
}

function messageIn(frame: Buffer): Message {
  try {
    return codec.decode(frame);
  } catch {
    throw unreadable('a frame whose checksum is wrong');
  }
}

function event(data: Record<string, unknown>): SseFrame {
  const name = typeof data.type === 'string' && /^\w+$/.test(data.type) ? `event: ${data.type}\n` : '';
  return new SseFrame(Buffer.from(`${name}data: ${JSON.stringify(data)}\n\n`));
}
