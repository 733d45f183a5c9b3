import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call as a provider of pictures and sound saw it, its body as it came. */
export interface MediaCall {
  path: string;
  headers: IncomingMessage['headers'];
  bytes: Buffer;
  /** Of a form: its fields, and the bytes of its files. */
  fields: Record<string, string[]>;
  files: { field: string; name: string; type: string; bytes: Buffer }[];
  json: Record<string, unknown>;
}

export interface MediaProvider {
  url: string;
  calls: MediaCall[];
  lastCall(): MediaCall;
  /** How calls are answered from now on. */
  answer: (response: ServerResponse, call: MediaCall) => void;
  close(): Promise<void>;
}

/** A provider whose bodies are bytes: it keeps what it was asked and answers as it is told. */
export async function startMediaProvider(): Promise<MediaProvider> {
  const calls: MediaCall[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('error', () => undefined);
    request.on('end', async () => {
      const call = await callOf(request, Buffer.concat(pieces));
      calls.push(call);
      provider.answer(response, call);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const provider: MediaProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    lastCall() {
      const last = calls.at(-1);
      if (last === undefined) throw new Error('the provider was not called');
      return last;
    },
    answer: (response) => sendJson(response, {}),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return provider;
}

export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function sendEvents(response: ServerResponse, events: { type: string; [field: string]: unknown }[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

async function callOf(request: IncomingMessage, bytes: Buffer): Promise<MediaCall> {
  const { url: path = '', headers } = request;
  const call: MediaCall = { path, headers, bytes, fields: {}, files: [], json: {} };
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/json')) call.json = JSON.parse(bytes.toString()) as Record<string, unknown>;
  if (!type.startsWith('multipart/')) return call;
  const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();
  for (const [field, value] of form.entries()) {
    if (typeof value === 'string') call.fields[field] = [...(call.fields[field] ?? []), value];
    else call.files.push({ field, name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  return call;
}
