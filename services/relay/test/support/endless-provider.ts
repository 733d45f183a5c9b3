import { createHash } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { awsFrames, eventFrame, prelude } from './aws-frames.ts';

const gigabyte = 1 << 30;
const letters = Buffer.alloc(64 << 10, 'a');
/** Sixteen megabytes of nothing; members of a packed body may follow each other. */
const bomb = gzipSync(Buffer.alloc(16 << 20));
const header = Buffer.from(`x-more: ${'a'.repeat(1000)}\r\n`);
const words = 'word '.repeat(3000);
const event = (value: unknown, name = '') => `${name && `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: unknown) => event({ choices: [{ index: 0, delta, finish_reason: null }] });
const call = (more: object, fragment: string) => chunk({ tool_calls: [{ index: 0, ...more, function: { ...more, arguments: fragment } }] });
const block = (type: string, more: object) => event({ type, index: 0, ...more }, type);
const thinkingBlock = { type: 'thinking', thinking: '', signature: '' };
const thinking = eventFrame(JSON.stringify({ type: 'content_block_start', index: 0, content_block: thinkingBlock }));
const said = (type: string, more: object) =>
  eventFrame(JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type, ...more } }));
const own = (delta: string) => event({ type: 'response.output_text.delta', delta }, 'response.output_text.delta');
const head = (type: string, more = '') => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n${more}\r\n`;
const stream = head('text/event-stream');
const framed = (...frames: Buffer[]) => Buffer.concat([Buffer.from(head(awsFrames)), ...frames]);
const chunked = head('application/json', 'transfer-encoding: chunked\r\n');

interface Manner {
  first: string | Buffer;
  /** Comes again and again. */
  again: Buffer | string;
  /** A gigabyte, unless it says otherwise. */
  most?: number;
}

/** Ways to send a gigabyte. */
export const manners = {
  whole: { first: `${head('application/json')}{"choices":[{"message":{"content":"`, again: letters },
  dripped: { first: `${chunked}1\r\n{\r\n`, again: Buffer.from('1\r\n \r\n'.repeat(10_000)) },
  packed: { first: head('application/json', 'content-encoding: gzip\r\n'), again: bomb },
  headers: { first: 'HTTP/1.1 200 OK\r\n', again: header },
  // Nothing of these two is anybody's to keep, and their line is closed when they have been silent for long enough.
  hints: { first: '', again: `HTTP/1.1 103 Early Hints\r\n${String(header)}\r\n`, most: 64 << 20 },
  extension: { first: `${chunked}1;`, again: letters, most: 128 << 20 },
  trailers: { first: `${chunked}1\r\n{\r\n0\r\n`, again: header },
  error: {
    first: `HTTP/1.1 500 Sorry\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{"error":{"message":"`,
    again: letters,
  },
  frame: { first: `${stream}${chunk({ content: 'Hello you' })}data: {"choices":[{"index":0,"delta":{"content":"`, again: letters },
  words: { first: stream, again: chunk({ content: words }) },
  calls: { first: `${stream}${call({ id: 'c', name: 'f' }, '{"a":"')}`, again: call({}, words) },
  thoughts: {
    first: `${stream}${block('content_block_start', { content_block: thinkingBlock })}`,
    again: block('content_block_delta', { delta: { type: 'thinking_delta', thinking: words } }),
  },
  // Anthropic's events in frames of Amazon's: the longest frame that is read, and then no other; and thoughts.
  framed: { first: framed(said('text_delta', { text: 'Hello you' }), prelude(10 << 20, 0)), again: letters },
  pondered: { first: framed(thinking), again: said('thinking_delta', { thinking: words }) },
  owned: { first: `${stream}${own('Hello you')}data: {"type":"response.output_text.delta","delta":"`, again: letters },
  poll: { first: `${head('application/json')}{"output":{"task_id":"`, again: letters },
} satisfies Record<string, Manner>;
export type MannerName = keyof typeof manners;

/** A WebSocket's: one message of a gigabyte, and one of as many fragments as it takes. */
const messages: Record<string, Manner> = {
  frame: { first: Buffer.from([0x81, 127, 0, 0, 0, 0, 0x40, 0, 0, 0]), again: letters },
  words: { first: Buffer.from([0x01, 1, 0x7b]), again: Buffer.concat([Buffer.from([0x00, 126, 0xff, 0xff]), Buffer.alloc(0xffff, 'a')]) },
};

export interface EndlessProvider {
  url: string;
  /** The bytes that were taken of what was poured out last, and whether its line is still open. */
  last(): { bytes: number; isOpen: boolean };
  close(): Promise<void>;
}

/** A provider, on loopback, that pours out what the first part of a path names, as fast as it is taken. */
export async function startEndlessProvider(): Promise<EndlessProvider> {
  const sockets = new Set<Socket>();
  let poured: Socket | undefined;

  function pour(socket: Socket, { first, again, most = gigabyte }: Manner): void {
    poured = socket;
    socket.write(first);
    const more = () => {
      while (!socket.destroyed && socket.bytesWritten < most) if (!socket.write(again)) return void socket.once('drain', more);
      socket.end();
    };
    more();
  }

  function answer(socket: Socket, asked: string): void {
    const [, method, name = ''] = /^(\w+) \/([a-z]+)/.exec(asked) ?? [];
    const key = /sec-websocket-key: (\S+)/i.exec(asked)?.[1];
    if (key !== undefined) {
      socket.write(greeting(key));
      pour(socket, messages[name] as Manner);
    } else if (name === 'poll' && method === 'POST') {
      socket.end(`${head('application/json')}{"output":{"task_id":"1","task_status":"PENDING"}}`);
    } else pour(socket, manners[name as MannerName]);
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    let asked = '';
    socket.on('data', (bytes) => {
      if (asked.includes('\r\n\r\n')) return; // its body
      asked += bytes.toString('latin1');
      if (asked.includes('\r\n\r\n')) answer(socket, asked);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    last: () => ({ bytes: poured?.bytesWritten ?? 0, isOpen: poured?.destroyed === false }),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Switches protocols, and says an honest first word. */
function greeting(key: string): Buffer {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  const created = Buffer.from(JSON.stringify({ type: 'session.created', session: { id: 'sess_1' } }));
  const switched = `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`;
  return Buffer.concat([Buffer.from(switched), Buffer.from([0x81, created.length]), created]);
}
