import type { Socket } from 'node:net';
import { BSON } from 'mongodb';

/** One message of MongoDB's wire protocol. Source: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/ */
export interface Message {
  bytes: Buffer;
  id: number;
  /** OP_QUERY: the first hello of a line. */
  isLegacy: boolean;
  /** The command, '' of an answer. */
  name: string;
  /** The session and number of a write that may be retried. */
  retryKey: string | undefined;
}

const header = 16;
const opCode = { reply: 1, query: 2004, message: 2013 } as const;

/** Tells each whole message that comes on a line. */
export function readMessages(line: Socket, tell: (message: Message) => void): void {
  let held: Buffer = Buffer.alloc(0);
  line.on('data', (piece: Buffer) => {
    held = held.length === 0 ? piece : Buffer.concat([held, piece]);
    while (held.length >= 4 && held.length >= held.readInt32LE(0)) {
      const length = held.readInt32LE(0);
      const bytes = held.subarray(0, length);
      held = held.subarray(length);
      tell(messageOf(bytes));
    }
  });
}

function messageOf(bytes: Buffer): Message {
  const isLegacy = bytes.readInt32LE(12) === opCode.query;
  const bodyAt = isLegacy ? bytes.indexOf(0, header + 4) + 9 : bodyOf(bytes);
  const fields = bytes.readInt32LE(8) === 0 ? BSON.deserialize(bytes.subarray(bodyAt, bodyAt + bytes.readInt32LE(bodyAt))) : {};
  const { lsid, txnNumber } = fields as { lsid?: { id: BSON.Binary }; txnNumber?: unknown };
  return {
    bytes,
    isLegacy,
    id: bytes.readInt32LE(4),
    name: Object.keys(fields)[0] ?? '',
    retryKey: lsid !== undefined && txnNumber !== undefined ? `${lsid.id.toString('hex')} ${txnNumber}` : undefined,
  };
}

/** Where the document of an OP_MSG stands; lists of documents may stand before it. */
function bodyOf(bytes: Buffer): number {
  let at = header + 4;
  while (bytes[at] === 1) at += 1 + bytes.readInt32LE(at + 1);
  return at + 1;
}

/** The same without the number that a store alone takes no write with. */
export function withoutTransactionNumber({ bytes }: Message): Buffer {
  const name = Buffer.from('\x12txnNumber\0');
  const bodyAt = bodyOf(bytes);
  const at = bytes.indexOf(name, bodyAt);
  const length = name.length + 8;
  const shorter = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)]);
  shorter.writeInt32LE(shorter.length, 0);
  shorter.writeInt32LE(bytes.readInt32LE(bodyAt) - length, bodyAt);
  return shorter;
}

/** An answer as the answer to this message. */
export function withAnswerTo({ id }: Message, answer: Buffer): Buffer {
  const own = Buffer.from(answer);
  own.writeInt32LE(id, 8);
  return own;
}

/** What a member says of itself: beside `own` what any server of 7.0 says. */
export function helloReply(message: Message, own: object): Buffer {
  const limits = { maxBsonObjectSize: 16 << 20, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 };
  const versions = { minWireVersion: 0, maxWireVersion: 21, logicalSessionTimeoutMinutes: 30, readOnly: false };
  return reply(message, { ...own, helloOk: true, ...limits, ...versions, localTime: new Date(), connectionId: 1, ok: 1 });
}

/** A refusal; a write that may be retried is told so. */
export function errorReply(message: Message, error: { code: number; codeName: string; errmsg: string }): Buffer {
  return reply(message, { ok: 0, ...error, ...(message.retryKey !== undefined && { errorLabels: ['RetryableWriteError'] }) });
}

function reply({ id, isLegacy }: Message, document: object): Buffer {
  const before = Buffer.alloc(header + (isLegacy ? 20 : 5));
  const body = BSON.serialize(document);
  before.writeInt32LE(before.length + body.length, 0);
  before.writeInt32LE(id, 8);
  before.writeInt32LE(isLegacy ? opCode.reply : opCode.message, 12);
  if (isLegacy) before.writeInt32LE(1, header + 16); // one document
  return Buffer.concat([before, body]);
}
