import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
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

/** A provider of chat completions whose every key behaves as it is told; others work. */
export async function startKeyedProvider(): Promise<KeyedProvider> {
  const behaviors = new Map<string, KeyBehavior>();
  const asked: KeyedProvider['asked'] = [];
  const server = createServer((request, response) => {
    const key = (request.headers.authorization ?? '').replace('Bearer ', '');
    const behavior = behaviors.get(key) ?? 'works';
    asked.push({ key, at: performance.now(), behavior });
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => answer(request, response, { behavior, isStream: Buffer.concat(pieces).includes('"stream":true') }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behaviors,
    asked,
    reset() {
      behaviors.clear();
      asked.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(_request: IncomingMessage, response: ServerResponse, { behavior, isStream }: { behavior: KeyBehavior; isStream: boolean }) {
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
  const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
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
