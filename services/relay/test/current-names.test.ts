import { factsOf } from '@tollgate/contracts/catalog';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

/** Current names by the channel type of their makers, as they call them in autumn 2026. */
const listed: Record<number, string> = {
  1: `gpt-4.1 gpt-4.1-mini gpt-4.1-nano gpt-5 gpt-5-mini gpt-5-nano gpt-5-pro gpt-5-codex gpt-5.1 gpt-5.1-codex gpt-5.2 gpt-5.3-codex gpt-5.4 gpt-5.4-mini
    gpt-5.5 gpt-5.6 gpt-5.6-sol gpt-5.6-terra gpt-5.6-luna gpt-6-astra gpt-6-sol gpt-6-luna gpt-6.1-sol o1 o3 o3-mini o3-pro o4-mini`,
  14: `claude-opus-4-0 claude-sonnet-4-0 claude-opus-4-1 claude-sonnet-4-5 claude-haiku-4-5 claude-opus-4-5 claude-opus-4-6 claude-sonnet-4-6
    claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-sonnet-5 claude-opus-5-5 claude-sonnet-5-5 claude-haiku-5-5 claude-fable-5 claude-fable-5-1`,
  24: `gemini-2.5-pro gemini-2.5-flash gemini-2.5-flash-lite gemini-3-pro-preview gemini-3-flash-preview gemini-3.1-pro-preview gemini-3.1-flash-lite
    gemini-3.5-flash gemini-3.7-flash gemini-3.8-flash`,
  43: 'deepseek-chat deepseek-reasoner deepseek-v4-pro deepseek-v4-flash deepseek-flash',
  48: 'grok-4 grok-4-fast grok-4-1-fast grok-4.3 grok-4.5 grok-4.6 grok-4.7 grok-code-fast-1',
  25: 'kimi-k2-thinking kimi-k2.5 kimi-k2.6 kimi-k2.7-code kimi-k3',
};
const byType = Object.fromEntries(Object.entries(listed).map(([type, list]) => [type, list.split(/\s+/)])) as Record<number, string[]>;
const names = Object.values(byType).flat();

describe('A fresh installation', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user({ balance: 1_000_000_000 });
    await gateway.channels(
      Object.entries(byType).map(([type, models]) => ({
        type: Number(type),
        models,
        ...(type === '1' && { setting: '{"responses":true}' }),
      })),
    );
    for (const [model] of Object.values(byType)) await untilServed(gateway, user.token, model as string);
  });
  after(() => gateway.stop());

  /** What OpenAI is asked by Responses, by the rules of the model or because its caller is. */
  const answersByResponses = (model: string, dialect: string): boolean => {
    if (!byType[1]?.includes(model)) return false;
    const { endpoint, toolsEndpoint } = factsOf(model)?.rules ?? {};
    return dialect === 'responses' || endpoint === 'responses' || (dialect !== 'gemini' && toolsEndpoint === 'responses');
  };
  const response = {
    ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed', error: null },
    output: [
      { id: 'm', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] },
    ],
    usage: { input_tokens: 100, output_tokens: 5, total_tokens: 105 },
  };

  const question = [{ role: 'user', content: 'Hello there' }];
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const dialects: [name: string, path: (model: string) => string, body: (model: string) => object][] = [
    [
      'chat',
      () => '/v1/chat/completions',
      (model) => ({
        model,
        messages: question,
        temperature: 0.2,
        reasoning_effort: 'high',
        tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
      }),
    ],
    [
      'messages',
      () => '/v1/messages',
      (model) => ({
        model,
        max_tokens: 2000,
        messages: question,
        tools: [{ name: 'f', input_schema: schema }],
        output_config: { effort: 'low' },
      }),
    ],
    [
      'responses',
      () => '/v1/responses',
      (model) => ({
        model,
        input: 'Hello there',
        store: false,
        reasoning: { effort: 'medium' },
        tools: [{ type: 'function', name: 'f', parameters: schema, strict: false }],
      }),
    ],
    [
      'gemini',
      (model) => `/v1beta/models/${model}:generateContent`,
      () => ({
        contents: [{ role: 'user', parts: [{ text: 'Hello there' }] }],
        generationConfig: { topK: 20, thinkingConfig: { thinkingBudget: 1024 } },
      }),
    ],
  ];
  it(`prices and caps ${names.length} current models by their makers’ lists`, () => {
    for (const name of names) {
      const { price, priceSource, family, limits } = factsOf(name) ?? {};
      expect(price?.output, `price of ${name}`).to.be.greaterThan(0);
      expect(priceSource?.source, `source of ${name}`).to.match(/^https:/);
      expect(family, `family of ${name}`).to.be.a('string');
      if (!byType[48]?.includes(name)) expect(limits?.output, `longest answer of ${name}`).to.be.greaterThan(0);
    }
  });

  for (const [dialect, path, body] of dialects) {
    it(`serves and prices ${names.length} current models to callers of ${dialect}`, async function () {
      this.timeout(120_000);
      user = await gateway.user({ balance: 1_000_000_000 });
      const headers = { authorization: user.token.authorization };
      for (const model of names) {
        gateway.provider.reset();
        gateway.provider.answers(answersByResponses(model, dialect) ? { json: response } : { words: 5, promptTokens: 100 });
        const answer = await gateway.post(path(model), body(model), headers);
        expect(answer.status, `${model}: ${(await answer.text()).slice(0, 300)}`).to.equal(200);
      }
      await eventually(async () => expect(await gateway.events(user)).to.have.length(names.length), { timeoutMs: 30_000 });
      const events = await gateway.events(user);
      expect(events.filter(({ quota }) => !(Number(quota) > 0)).map(({ model }) => model)).to.deep.equal([]);
    });
  }
});
