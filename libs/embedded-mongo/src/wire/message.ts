import { CommandError } from '../errors.ts';
import { int32At, nameEnd, validate } from '../values/raw.ts';

/** Message kinds of the wire protocol that this server knows. */
const opCode = { reply: 1, query: 2004, message: 2013 } as const;
const headerBytes = 16;

/** One command off the wire. */
export interface Message {
  requestId: number;
  /** OP_QUERY is used for the very first hello only. */
  legacy: boolean;
  /** The sender waits for no answer (write concern 0). */
  silent: boolean;
  body: Buffer;
  sequences: Map<string, Buffer[]>;
  /** From the namespace of an OP_QUERY. */
  db?: string;
}

/**
 * Takes a whole message apart (its length is already known to be right). Documents stay slices of it.
 * Throws: CommandError for what is not understood.
 */
export function parseMessage(bytes: Buffer): Message {
  const [requestId, code] = [int32At(bytes, 4), int32At(bytes, 12)];
  if (code === opCode.message) return parseOpMsg(bytes, requestId);
  if (code === opCode.query) return parseQuery(bytes, requestId);
  throw new CommandError(code === 2012 ? 115 : 59, `unsupported message kind ${code}`);
}

function parseOpMsg(bytes: Buffer, requestId: number): Message {
  const flags = int32At(bytes, headerBytes);
  const end = flags & 1 ? bytes.length - 4 : bytes.length; // a checksum may follow
  let body: Buffer | undefined;
  const sequences = new Map<string, Buffer[]>();
  let at = headerBytes + 4;
  while (at < end) {
    const kind = bytes[at++];
    const size = at + 4 <= end ? int32At(bytes, at) : -1;
    if (size < 5 || at + size > end) throw new CommandError(22, 'a section of the message points outside it');
    if (kind === 0) {
      validate(bytes, at, at + size);
      body = bytes.subarray(at, at + size);
    } else if (kind === 1) {
      const stop = nameEnd(bytes, at + 4);
      sequences.set(bytes.toString('utf8', at + 4, stop), parseSequence(bytes, stop + 1, at + size));
    } else throw new CommandError(9, `unknown section kind ${kind}`);
    at += size;
  }
  if (body === undefined) throw new CommandError(9, 'the message has no body');
  return { requestId, legacy: false, silent: (flags & 2) !== 0, body, sequences };
}

function parseSequence(bytes: Buffer, from: number, end: number): Buffer[] {
  const documents: Buffer[] = [];
  let at = from;
  while (at < end) {
    const size = at + 4 <= end ? int32At(bytes, at) : -1;
    if (size < 5 || at + size > end) throw new CommandError(22, 'a document of the sequence points outside it');
    validate(bytes, at, at + size);
    documents.push(bytes.subarray(at, at + size));
    at += size;
  }
  return documents;
}

function parseQuery(bytes: Buffer, requestId: number): Message {
  const stop = nameEnd(bytes, headerBytes + 4);
  const namespace = bytes.toString('utf8', headerBytes + 4, stop);
  const at = stop + 9;
  const size = at + 4 <= bytes.length ? int32At(bytes, at) : -1;
  if (!namespace.endsWith('.$cmd') || size < 5 || at + size > bytes.length)
    throw new CommandError(352, 'OP_QUERY is accepted for the first hello only');
  validate(bytes, at, at + size);
  return { requestId, legacy: true, silent: false, body: bytes.subarray(at, at + size), sequences: new Map(), db: namespace.slice(0, -5) };
}

/** Frames an answer to `message`. */
export function frameAnswer(message: Pick<Message, 'requestId' | 'legacy'>, answer: Buffer, ownId: number): Buffer {
  const extra = message.legacy ? 20 : 5;
  const framed = Buffer.allocUnsafe(headerBytes + extra + answer.length);
  framed.writeInt32LE(framed.length, 0);
  framed.writeInt32LE(ownId, 4);
  framed.writeInt32LE(message.requestId, 8);
  framed.writeInt32LE(message.legacy ? opCode.reply : opCode.message, 12);
  framed.fill(0, headerBytes, headerBytes + extra);
  if (message.legacy) {
    framed.writeInt32LE(8, headerBytes); // AwaitCapable
    framed.writeInt32LE(1, headerBytes + 16); // one document
  }
  answer.copy(framed, headerBytes + extra);
  return framed;
}
