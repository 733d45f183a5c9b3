import { eventually, type MeasuredService } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { startMeasuredRelay } from './support/processes.ts';

/** So many that what a process makes for itself meanwhile, such as code, is little for each. */
const streams = 60;

/** A call of each dialect that asks for a stream. */
const callers: Record<string, (model: string, prompt: string) => [path: string, body: object]> = {
  'OpenAI chat': (model, content) => ['/v1/chat/completions', { model, stream: true, messages: [{ role: 'user', content }] }],
  'OpenAI Responses': (model, input) => ['/v1/responses', { model, stream: true, input, store: false }],
  Anthropic: (model, content) => ['/v1/messages', { model, stream: true, max_tokens: 100, messages: [{ role: 'user', content }] }],
  Gemini: (model, text) => [`/v1beta/models/${model}:streamGenerateContent?alt=sse`, { contents: [{ role: 'user', parts: [{ text }] }] }],
};

describe('A stream keeps nothing of its prompt once its answer has begun', () => {
  let gateway: Gateway;
  let relay: MeasuredService;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user({ balance: 1e15 });
    await gateway.options({ ModelRatio: JSON.stringify({ openai: 1, claude: 1 }) });
    await gateway.channels([
      { type: 1, models: ['openai'] },
      { type: 14, models: ['claude'] },
    ]);
    await untilServed(gateway, user.token, 'claude');
    relay = await startMeasuredRelay({ ...gateway.env, UPSTREAM_DRAIN_MS: '1' });
  });
  after(async () => {
    await relay.stop();
    await gateway.stop();
  });

  /** Opens streams whose answers stop behind their first words; resolves to what ends them. */
  async function open([path, body]: [path: string, body: object]): Promise<() => Promise<void>> {
    const leave = new AbortController();
    const text = JSON.stringify(body);
    for (let count = 0; count < streams; count += 1) {
      const headers = { 'content-type': 'application/json', authorization: user.token.authorization };
      const answer = await fetch(relay.origin + path, { method: 'POST', headers, body: text, signal: leave.signal });
      expect(answer.status).to.equal(200);
      await answer.body?.getReader().read();
    }
    return async () => {
      leave.abort();
      await eventually(async () => expect(gateway.provider.totals().open).to.equal(0));
    };
  }

  for (const [dialect, asking] of Object.entries(callers)) {
    for (const model of ['openai', 'claude']) {
      it(`${dialect} to ${model}, as a megabyte and as 40 kB`, async function () {
        this.timeout(60_000);
        gateway.provider.answers({ breakAfter: 3, breakBy: 'hang' }, model);
        const prompts = [1_000_000, 40_000].map((length) => 'word '.repeat(length / 5));
        for (const prompt of prompts) await (await open(asking(model, prompt)))(); // code that is loaded now is no stream's
        const endShort = await open(asking(model, 'word '));
        const short = await relay.keptBytes();
        await endShort();
        for (const prompt of prompts) {
          const end = await open(asking(model, prompt));
          try {
            await eventually(async () => expect(((await relay.keptBytes()) - short) / streams).to.be.below(prompt.length / 2));
          } finally {
            await end();
          }
        }
      });
    }
  }
});
