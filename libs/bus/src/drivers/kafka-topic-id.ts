import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { KafkaCredentials } from './kafka-access.ts';
import { int16, int32, reader, text, varint } from './kafka-bytes.ts';
import { LoginRefused, logIn } from './kafka-login.ts';

const timeoutMs = 5_000;
const metadataKey = 3;
const metadataVersion = 12; // the first version that reliably returns topic ids for names; Kafka 3.1 and newer
const noTopic = 3; // UNKNOWN_TOPIC_OR_PARTITION

/** What a broker reports about a topic. */
export interface TopicIdentity {
  clusterId: string;
  /** The UUID that Kafka assigned at creation, as hex. A recreated topic has another one. */
  topicId: string;
  partitions: number;
  /** Number of partitions with a leader. */
  led: number;
}

export interface TopicIdentities {
  /** Asks the leader of `partition` (any broker when omitted). Returns undefined when the topic does not exist. */
  of(topic: string, partition?: number): Promise<TopicIdentity | undefined>;
  close(): void;
}

/**
 * Requests topic ids from brokers. kafkajs 2.2.4 cannot: it uses older versions of the Metadata request. This is a client for that one
 * request (https://kafka.apache.org/protocol#The_Messages_Metadata), with the same credentials as kafkajs. `of` throws LoginRefused.
 */
export function openTopicIdentities(brokers: string[], access: KafkaCredentials = {}): TopicIdentities {
  const connections = new Map<string, Connection>();
  const leaders = new Map<string, string>();

  function connectionTo(address: string): Connection {
    const known = connections.get(address);
    if (known && !known.isClosed()) return known;
    const fresh = openConnection(address, access);
    connections.set(address, fresh);
    return fresh;
  }

  return {
    async of(topic, partition) {
      const leader = partition === undefined ? undefined : leaders.get(`${topic}/${partition}`);
      let failure: unknown;
      for (const address of leader ? [leader, ...brokers] : brokers) {
        try {
          const answer = readMetadata(await connectionTo(address).ask(metadataRequest(topic)), topic);
          for (const [index, host] of answer.leaders) leaders.set(`${topic}/${index}`, host);
          return answer.identity;
        } catch (error) {
          if (error instanceof LoginRefused) throw error;
          failure = error;
        }
      }
      throw new Error(`no Kafka broker returned the id of topic ${topic}`, { cause: failure });
    },
    close() {
      for (const connection of connections.values()) connection.close();
    },
  };
}

interface Connection {
  ask(request: Buffer): Promise<Buffer>;
  isClosed(): boolean;
  close(): void;
}

/** A connection that authenticates, then answers requests in order, as Kafka does. */
function openConnection(address: string, { sasl, ssl }: KafkaCredentials): Connection {
  const colon = address.lastIndexOf(':');
  const to = { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) };
  const socket: Socket = ssl ? connectTls({ ...to, servername: isIP(to.host) ? '' : to.host, ca: ssl.ca }) : connect(to);
  socket.setNoDelay(true);
  socket.unref();
  let received: Buffer = Buffer.alloc(0);
  let waiting: { resolve(body: Buffer): void; reject(error: Error): void }[] = [];
  const fail = (error: Error) => {
    for (const { reject } of waiting) reject(error);
    waiting = [];
  };
  let unsent: Buffer[] | undefined = [];
  socket.once(ssl ? 'secureConnect' : 'connect', () => {
    socket.write(Buffer.concat(unsent ?? []));
    unsent = undefined;
  });
  socket.on('error', fail);
  socket.on('close', () =>
    fail(
      new Error(
        `${address} closed the connection; it may require authentication (KAFKA_SASL_MECHANISM) or TLS (KAFKA_TLS), and topic ids need Kafka 3.1 or newer`,
      ),
    ),
  );
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    while (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) {
      const end = 4 + received.readInt32BE(0);
      waiting.shift()?.resolve(received.subarray(4, end));
      received = received.subarray(end);
    }
  });
  const send = (request: Buffer) =>
    new Promise<Buffer>((resolve, reject) => {
      const timer = setTimeout(() => socket.destroy(new Error(`${address} did not answer in ${timeoutMs} ms`)), timeoutMs);
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          clearTimeout(timer);
          settle(value);
        };
      waiting.push({ resolve: settled(resolve), reject: settled(reject) });
      if (unsent) unsent.push(request);
      else socket.write(request);
    });
  const entered = sasl && logIn(send, sasl);
  entered?.catch(() => socket.destroy()); // each `ask` reports the reason
  return {
    async ask(request) {
      await entered;
      return send(request);
    },
    isClosed: () => socket.destroyed,
    close: () => socket.destroy(),
  };
}

function metadataRequest(topic: string): Buffer {
  const name = Buffer.from(topic);
  const body = Buffer.concat([
    int16(metadataKey),
    int16(metadataVersion),
    int32(0), // correlation id: responses arrive in order
    text('tollgate'),
    Buffer.from([0]), // no tagged fields in the header
    Buffer.from([2]), // one topic
    Buffer.alloc(16), // by name, not by id
    varint(name.length + 1),
    name,
    Buffer.from([0, 0, 0, 0]), // no tags; do not create the topic; no authorized operations; no tags
  ]);
  return Buffer.concat([int32(body.length), body]);
}

function readMetadata(body: Buffer, wanted: string): { identity: TopicIdentity | undefined; leaders: Map<number, string> } {
  const read = reader(body);
  read.skip(4); // correlation id
  read.tags();
  read.skip(4); // throttle time
  const hosts = new Map<number, string>();
  read.each(() => {
    const node = read.int32();
    const host = read.text();
    hosts.set(node, `${host.includes(':') ? `[${host}]` : host}:${read.int32()}`);
    read.text(); // rack
  });
  const clusterId = read.text();
  read.skip(4); // controller
  const leaders = new Map<number, string>();
  let identity: TopicIdentity | undefined;
  read.each(() => {
    const error = read.int16();
    const name = read.text();
    const topicId = read.bytes(16).toString('hex');
    read.skip(1); // internal
    let led = 0;
    const partitions = read.each(() => {
      read.skip(2);
      const index = read.int32();
      const host = hosts.get(read.int32());
      if (host) {
        leaders.set(index, host);
        led += 1;
      }
      read.skip(4); // leader epoch
      for (let lists = 0; lists < 3; lists += 1) read.skip(4 * read.count());
    });
    read.skip(4); // authorized operations
    if (error !== 0 && error !== noTopic) throw new Error(`Kafka returned error ${error} for topic ${wanted}`);
    if (name === wanted && error === 0) identity = { clusterId, topicId, partitions, led };
  });
  return { identity, leaders };
}
