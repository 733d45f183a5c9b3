import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How a provider answers one of its keys. */
export type KeyBehavior =
  | 'works'
  | 'unauthorized'
  | 'limited'
  | 'limited_for_a_second'
  | 'near_its_limit'
  | 'broken'
  | 'slow'
  | 'hanging'
  | 'lying'
  | 'empty_stream';

export interface KeyedProvider {
  url: string;
  behaviors: Map<string, KeyBehavior>;
  /** Keys in the order in which they were used, and when on the clock of `performance`. */
  asked: { key: string; at: number; behavior: KeyBehavior }[];
  reset(): void;
  close(): Promise<void>;
}

const slowMs = 300;

interface Counts {
  prompt: number;
  cached: number;
}

interface Asked extends Counts {
  behavior: KeyBehavior;
  isStream: boolean;
}

/** A provider of chat completions whose every key behaves as it is told; others work. */
export async function startKeyedProvider(): Promise<KeyedProvider> {
  const behaviors = new Map<string, KeyBehavior>();
  const asked: KeyedProvider['asked'] = [];
  /** By key and conversation (the first 200 bytes of its messages): how many bytes of a prompt its cache holds. */
  const caches = new Map<string, number>();
  const countsOf = (key: string, body: Buffer): Counts => {
    const messages = body.subarray(Math.max(0, body.indexOf('"messages"')));
    const place = `${key} ${messages.toString('latin1', 0, 200)}`;
    const cached = Math.min(caches.get(place) ?? 0, messages.length);
    caches.set(place, messages.length);
    return { prompt: Math.ceil(messages.length / 4), cached: Math.floor(cached / 4) };
  };
  const server = createServer((request, response) => {
    const key = (request.headers.authorization ?? '').replace('Bearer ', '');
    const behavior = behaviors.get(key) ?? 'works';
    asked.push({ key, at: performance.now(), behavior });
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces);
      answer(response, { behavior, isStream: body.includes('"stream":true'), ...countsOf(key, body) });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behaviors,
    asked,
    reset() {
      behaviors.clear();
      caches.clear();
      asked.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, { behavior, isStream, prompt, cached }: Asked) {
  const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const error = (message: string, type: string) => ({ error: { message, type, code: type } });
  if (behavior === 'unauthorized') return json(401, error('Incorrect API key provided', 'invalid_api_key'));
  if (behavior === 'limited') return json(429, error('Rate limit reached', 'rate_limit_exceeded'));
  if (behavior === 'limited_for_a_second') return json(429, error('Rate limit reached', 'rate_limit_exceeded'), { 'retry-after': '1' });
  if (behavior === 'broken') return json(500, error('The server had an error', 'server_error'));
  if (behavior === 'hanging') return;
  if (behavior === 'lying') return response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Please sign in</html>');
  if (behavior === 'empty_stream') return response.writeHead(200, { 'content-type': 'text/event-stream' }).end();
  const limits: Record<string, string> =
    behavior === 'near_its_limit'
      ? { 'x-ratelimit-limit-requests': '500', 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '2s' }
      : {};
  const chat = { id: 'chatcmpl-1', created: 1, model: 'm' };
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: 1,
    total_tokens: prompt + 1,
    prompt_tokens_details: { cached_tokens: cached },
  };
  const send = () => {
    if (!isStream) {
      const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }];
      return json(200, { ...chat, object: 'chat.completion', choices, usage }, limits);
    }
    const chunk = (rest: unknown) => `data: ${JSON.stringify({ ...chat, object: 'chat.completion.chunk', ...(rest as object) })}\n\n`;
    response.writeHead(200, { 'content-type': 'text/event-stream', ...limits });
    response.write(chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: null }] }));
    response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
    response.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`);
    return response;
  };
  if (behavior === 'slow') setTimeout(send, slowMs);
  else send();
  return undefined;
}
