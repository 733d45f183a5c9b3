import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** What the provider counted since the last `take`. */
export interface Counted {
  promptTokens: number;
  completionTokens: number;
  /** Answers as long as asked: the shortest of the caller's `max_tokens` and what the provider gives by itself. */
  full: number;
  answers: number;
}

/** Tokens of an answer whose caller names no maximum. */
const usualTokens = 3_000;
const bytesPerToken = 4;

/**
 * A provider that keeps to `max_tokens`, answers after 40 to 120 ms and states its usage. `longest` is what the harness asks for, so that an
 * answer that a gateway cut short can be told from a full one.
 */
export async function startUpstream(): Promise<{ url: string; take(): Counted; asks(longest: number | undefined): void; stop(): void }> {
  let counted: Counted = { promptTokens: 0, completionTokens: 0, full: 0, answers: 0 };
  let wanted = usualTokens;
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as {
      max_tokens?: number;
      max_completion_tokens?: number;
      stream?: boolean;
      messages: unknown;
    };
    const completionTokens = Math.min(body.max_tokens ?? body.max_completion_tokens ?? usualTokens, wanted);
    const promptTokens = Math.ceil(JSON.stringify(body.messages).length / bytesPerToken);
    counted.promptTokens += promptTokens;
    counted.completionTokens += completionTokens;
    counted.answers += 1;
    if (completionTokens >= wanted) counted.full += 1;
    await delay(40 + Math.random() * 80);
    const usage = { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: promptTokens + completionTokens };
    const base = { id: 'chatcmpl-1', created: 1, model: 'm' };
    const finish = completionTokens >= wanted ? 'stop' : 'length';
    if (body.stream !== true) {
      const choices = [{ index: 0, message: { role: 'assistant', content: 'word' }, finish_reason: finish }];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ...base, object: 'chat.completion', choices, usage }));
      return;
    }
    response.setHeader('content-type', 'text/event-stream');
    const frame = (more: object) => response.write(`data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', ...more })}\n\n`);
    frame({ choices: [{ index: 0, delta: { role: 'assistant', content: 'word' }, finish_reason: null }] });
    frame({ choices: [{ index: 0, delta: {}, finish_reason: finish }] });
    frame({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asks: (longest) => {
      wanted = longest ?? usualTokens;
    },
    take() {
      const before = counted;
      counted = { promptTokens: 0, completionTokens: 0, full: 0, answers: 0 };
      return before;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
