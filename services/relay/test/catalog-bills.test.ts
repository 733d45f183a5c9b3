import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { type Json, statedTotal, workedOut } from './bills/hand-made-bill.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

/** One call at the prices of the catalog, and what it costs by its maker's list, worked out by hand. */
interface ListBill {
  title: string;
  path: string;
  body: Json;
  /** A whole answer, or the frames of a stream. */
  told: { json: Json } | { frames: string[] };
  /** A US dollar a million tokens is 0.5 quota a token. */
  sum: string;
}

const hello = [{ role: 'user', content: 'Hello there' }];
const shared = { id: 'x', model: 'm', created: 1 };

function chat(what: string, fields: Json, told: { usage: Json; tier?: string }, sum: string): ListBill {
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }];
  const json = { ...shared, object: 'chat.completion', choices, usage: told.usage, ...(told.tier && { service_tier: told.tier }) };
  return { title: `chat: ${what}`, path: '/v1/chat/completions', body: { messages: hello, ...fields }, told: { json }, sum };
}

function streamedChat(what: string, fields: Json, told: { usage: Json; tier: string }, sum: string): ListBill {
  const chunk = { ...shared, object: 'chat.completion.chunk', service_tier: told.tier };
  const frames = [
    { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...chunk, choices: [], usage: told.usage },
  ].map((data) => `data: ${JSON.stringify(data)}`);
  const body = { messages: hello, stream: true, ...fields };
  return { title: `chat, streamed: ${what}`, path: '/v1/chat/completions', body, told: { frames: [...frames, 'data: [DONE]'] }, sum };
}

const output = [
  { id: 'm', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] },
];
const responseOf = (told: { usage: Json; tier: string }) => ({
  ...{ id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed', error: null, output },
  ...{ usage: told.usage, service_tier: told.tier },
});

function response(what: string, fields: Json, told: { usage: Json; tier: string }, sum: string): ListBill {
  const body = { input: 'Hello there', store: false, ...fields };
  return { title: `Responses: ${what}`, path: '/v1/responses', body, told: { json: responseOf(told) }, sum };
}

function streamedResponse(what: string, fields: Json, told: { usage: Json; tier: string }, sum: string): ListBill {
  const whole = responseOf(told);
  const events = [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [], usage: null, service_tier: 'auto' } },
    { type: 'response.output_text.delta', item_id: 'm', output_index: 0, content_index: 0, delta: 'Hi' },
    { type: 'response.completed', response: whole },
  ];
  const frames = events.map((event, at) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: at })}`);
  const body = { input: 'Hello there', store: false, stream: true, ...fields };
  return { title: `Responses, streamed: ${what}`, path: '/v1/responses', body, told: { frames }, sum };
}

const messageOf = (usage: Json) => ({
  ...{ id: 'msg', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null },
  ...{ content: [{ type: 'text', text: 'Hi' }], usage },
});

function message(what: string, fields: Json, usage: Json, sum: string): ListBill {
  const body = { max_tokens: 2000, messages: hello, ...fields };
  return { title: `Messages: ${what}`, path: '/v1/messages', body, told: { json: messageOf(usage) }, sum };
}

function streamedMessage(what: string, fields: Json, { start, end }: { start: Json; end: Json }, sum: string): ListBill {
  const events = [
    { type: 'message_start', message: { ...messageOf(start), content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: end },
    { type: 'message_stop' },
  ];
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}`);
  const body = { max_tokens: 2000, messages: hello, stream: true, ...fields };
  return { title: `Messages, streamed: ${what}`, path: '/v1/messages', body, told: { frames }, sum };
}

function gemini(what: string, { model, ...fields }: Json & { model: string }, usageMetadata: Json, sum: string): ListBill {
  const candidates = [{ index: 0, content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }];
  const body = { contents: [{ role: 'user', parts: [{ text: 'Hello there' }] }], ...fields };
  return {
    title: `Gemini: ${what}`,
    path: `/v1beta/models/${model}:generateContent`,
    body,
    told: { json: { candidates, usageMetadata } },
    sum,
  };
}

const openAi = (prompt: number, completion: number, details: Json = {}) => ({
  ...{ prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  ...(Object.keys(details).length > 0 && { prompt_tokens_details: details }),
});
const ofResponses = (prompt: number, completion: number) => ({
  input_tokens: prompt,
  output_tokens: completion,
  total_tokens: prompt + completion,
});
const ofGemini = (prompt: number, candidates: number, more: Json = {}) => ({
  ...{ promptTokenCount: prompt, candidatesTokenCount: candidates, totalTokenCount: prompt + candidates },
  ...more,
});
const modality = (name: string, tokenCount: number) => ({ modality: name, tokenCount });

const sol = 'gpt-5.6-sol'; // 4 in, 0.4 cached, 5 written, 20 out; above 272 000: 8, 0.8, 10, 30; flex half, priority twice
const opus = 'claude-opus-4-8'; // 5 in, 0.5 cached, 6.25 and 10 written, 25 out; fast twice
const flash = 'gemini-2.5-flash'; // 0.3 in, 0.03 cached, 1 audio, 2.5 out
const priority = { service_tier: 'priority' };

const bills: ListBill[] = [
  // Tiers
  chat('a prompt at the edge of a tier', { model: 'gpt-5.5' }, { usage: openAi(272_000, 100) }, '(272000 × 5 + 100 × 30) × 0.5 = 681500'),
  chat('a prompt beyond it', { model: 'gpt-5.5' }, { usage: openAi(272_001, 100) }, '(272001 × 10 + 100 × 45) × 0.5 = 1362255'),
  chat(
    'a cached prompt beyond it',
    { model: 'gpt-5.5' },
    { usage: openAi(300_000, 100, { cached_tokens: 200_000 }) },
    '(100000 × 10 + 200000 × 1 + 100 × 45) × 0.5 = 602250',
  ),
  gemini('a long prompt', { model: 'gemini-2.5-pro' }, ofGemini(200_001, 10), '(200001 × 2.5 + 10 × 15) × 0.5 = 250076.25'),
  message(
    'a long prompt that is written to the cache',
    { model: 'claude-haiku-5-5' },
    { input_tokens: 60_000, cache_creation_input_tokens: 50_000, output_tokens: 1000 },
    '(60000 × 0.5 + 50000 × 0.625 + 1000 × 2.5) × 0.5 = 31875',
  ),
  // Cache
  message(
    'cache writes of five minutes and of an hour',
    { model: opus },
    {
      ...{ input_tokens: 100, cache_read_input_tokens: 4000, cache_creation_input_tokens: 3000, output_tokens: 50 },
      cache_creation: { ephemeral_5m_input_tokens: 1000, ephemeral_1h_input_tokens: 2000 },
    },
    '(100 × 5 + 4000 × 0.5 + 1000 × 6.25 + 2000 × 10 + 50 × 25) × 0.5 = 15000',
  ),
  chat(
    'a cache write of OpenAI',
    { model: sol },
    { usage: openAi(3000, 50, { cached_tokens: 1000, cache_write_tokens: 500 }) },
    '(1500 × 4 + 1000 × 0.4 + 500 × 5 + 50 × 20) × 0.5 = 4950',
  ),
  chat(
    'a cache hit of Kimi, stated at the top',
    { model: 'kimi-k2.6' },
    { usage: { ...openAi(3000, 50), cached_tokens: 1000 } },
    '(2000 × 0.95 + 1000 × 0.16 + 50 × 4) × 0.5 = 1130',
  ),
  // Service tiers: what the answer states decides
  chat('priority', { model: sol, ...priority }, { usage: openAi(1000, 100), tier: 'priority' }, '(1000 × 8 + 100 × 40) × 0.5 = 6000'),
  chat(
    'fast is priority, at the list of the model',
    { model: 'gpt-5.5', service_tier: 'fast' },
    { usage: openAi(1000, 100), tier: 'priority' },
    '(1000 × 12.5 + 100 × 75) × 0.5 = 10000',
  ),
  chat(
    'priority of which the answer says nothing',
    { model: sol, ...priority },
    { usage: openAi(1000, 100) },
    '(1000 × 8 + 100 × 40) × 0.5 = 6000',
  ),
  chat(
    'priority that was served as default',
    { model: sol, ...priority },
    { usage: openAi(1000, 100), tier: 'default' },
    '(1000 × 4 + 100 × 20) × 0.5 = 3000',
  ),
  chat(
    'an ordinary call of an account that is set to priority',
    { model: sol },
    { usage: openAi(1000, 100), tier: 'priority' },
    '(1000 × 8 + 100 × 40) × 0.5 = 6000',
  ),
  chat('flex', { model: sol, service_tier: 'flex' }, { usage: openAi(1000, 100), tier: 'flex' }, '(1000 × 2 + 100 × 10) × 0.5 = 1500'),
  chat(
    'flex that was served as default',
    { model: sol, service_tier: 'flex' },
    { usage: openAi(1000, 100), tier: 'default' },
    '(1000 × 4 + 100 × 20) × 0.5 = 3000',
  ),
  chat(
    'a tier of unknown price in the answer',
    { model: sol },
    { usage: openAi(1000, 100), tier: 'on_demand' },
    '(1000 × 4 + 100 × 20) × 0.5 = 3000',
  ),
  chat(
    'priority and a long prompt',
    { model: sol, ...priority },
    { usage: openAi(300_000, 100), tier: 'priority' },
    '(300000 × 16 + 100 × 60) × 0.5 = 2403000',
  ),
  chat(
    'priority of xAI',
    { model: 'grok-4.6', ...priority },
    { usage: openAi(1000, 100), tier: 'priority' },
    '(1000 × 4 + 100 × 12) × 0.5 = 2600',
  ),
  streamedChat(
    'priority that was served as default',
    { model: 'gpt-5.4', ...priority },
    { usage: openAi(1000, 100), tier: 'default' },
    '(1000 × 2.5 + 100 × 15) × 0.5 = 2000',
  ),
  response(
    'priority',
    { model: sol, ...priority },
    { usage: ofResponses(1000, 100), tier: 'priority' },
    '(1000 × 8 + 100 × 40) × 0.5 = 6000',
  ),
  response(
    'priority that was served as default',
    { model: sol, ...priority },
    { usage: ofResponses(1000, 100), tier: 'default' },
    '(1000 × 4 + 100 × 20) × 0.5 = 3000',
  ),
  streamedResponse(
    'flex that was served as default',
    { model: sol, service_tier: 'flex' },
    { usage: ofResponses(1000, 100), tier: 'default' },
    '(1000 × 4 + 100 × 20) × 0.5 = 3000',
  ),
  streamedResponse(
    'priority',
    { model: sol, ...priority },
    { usage: ofResponses(1000, 100), tier: 'priority' },
    '(1000 × 8 + 100 × 40) × 0.5 = 6000',
  ),
  gemini(
    'priority',
    { model: flash, serviceTier: 'priority' },
    ofGemini(1000, 100, { serviceTier: 'priority' }),
    '(1000 × 0.6 + 100 × 5) × 0.5 = 550',
  ),
  gemini(
    'priority that was served as standard',
    { model: flash, serviceTier: 'SERVICE_TIER_PRIORITY' },
    ofGemini(1000, 100, { serviceTier: 'standard' }),
    '(1000 × 0.3 + 100 × 2.5) × 0.5 = 275',
  ),
  gemini(
    'flex, as the cloud states it',
    { model: flash, serviceTier: 'flex' },
    ofGemini(1000, 100, { trafficType: 'ON_DEMAND_FLEX' }),
    '(1000 × 0.15 + 100 × 1.25) × 0.5 = 137.5',
  ),
  message(
    'the capacity that Anthropic used changes no price',
    { model: opus },
    { input_tokens: 1000, output_tokens: 100, service_tier: 'priority' },
    '(1000 × 5 + 100 × 25) × 0.5 = 3750',
  ),
  // Fast modes and regions
  message(
    'fast',
    { model: opus, speed: 'fast' },
    { input_tokens: 1000, output_tokens: 100, speed: 'fast' },
    '(1000 × 10 + 100 × 50) × 0.5 = 7500',
  ),
  message(
    'fast that was served at standard speed',
    { model: opus, speed: 'fast' },
    { input_tokens: 1000, output_tokens: 100, speed: 'standard' },
    '(1000 × 5 + 100 × 25) × 0.5 = 3750',
  ),
  message(
    'fast with writes to the cache',
    { model: 'claude-opus-5-5', speed: 'fast' },
    { input_tokens: 0, cache_read_input_tokens: 10_000, cache_creation_input_tokens: 1000, output_tokens: 100, speed: 'fast' },
    '(10000 × 0.4 + 1000 × 10 + 100 × 40) × 0.5 = 9000',
  ),
  streamedMessage(
    'fast that was served at standard speed',
    { model: opus, speed: 'fast' },
    { start: { input_tokens: 1000, output_tokens: 1, speed: 'standard' }, end: { output_tokens: 100 } },
    '(1000 × 5 + 100 × 25) × 0.5 = 3750',
  ),
  message(
    'a workspace that is kept in the US',
    { model: opus },
    { input_tokens: 1000, output_tokens: 100, inference_geo: 'us' },
    '(1000 × 5.5 + 100 × 27.5) × 0.5 = 4125',
  ),
  // Sound and pictures
  gemini(
    'sound and text',
    { model: flash },
    ofGemini(3000, 100, { promptTokensDetails: [modality('TEXT', 1000), modality('AUDIO', 2000)] }),
    '(1000 × 0.3 + 2000 × 1 + 100 × 2.5) × 0.5 = 1275',
  ),
  gemini(
    'a picture alone',
    { model: 'gemini-2.5-flash-image' },
    ofGemini(10, 1290, { candidatesTokensDetails: [modality('IMAGE', 1290)] }),
    '(10 × 0.3 + 1290 × 30) × 0.5 = 19351.5',
  ),
];

/** A catalog of one model whose price changes at an instant. */
const timed = (variants: Json[]) => {
  const source = { source: 'https://example.com/prices', read: '2026-11-26' };
  const price = { input: 4, output: 8, variants };
  return JSON.stringify({ version: 1, families: {}, models: [{ name: 'timed', provider: 'example', price, ...source }] });
};
const iso = (ms: number) => new Date(ms).toISOString();
const clock = (ms: number) => iso(ms).slice(11, 16);

describe('What the catalog’s prices charge', function () {
  this.timeout(60_000);
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    await gateway.channels([
      { models: ['gpt-5.5', 'gpt-5.4', sol, 'timed'], setting: '{"responses":true}' },
      { type: 14, models: [opus, 'claude-opus-5-5', 'claude-haiku-5-5'] },
      { type: 24, models: [flash, 'gemini-2.5-pro', 'gemini-2.5-flash-image'] },
      { type: 48, models: ['grok-4.6'] },
      { type: 25, models: ['kimi-k2.6'] },
    ]);
    for (const model of [sol, opus, flash, 'grok-4.6', 'kimi-k2.6']) await untilServed(gateway, user.token, model);
  });
  after(() => gateway.stop());

  async function charged(path: string, body: Json): Promise<unknown> {
    user = await gateway.user({ balance: 100_000_000 });
    const answer = await gateway.post(path, body, { authorization: user.token.authorization });
    expect(answer.status, await answer.text()).to.equal(200);
    return (await gateway.bill(user)).quota;
  }

  for (const { title, path, body, told, sum } of bills) {
    it(`${title}: ${sum}`, async () => {
      expect(workedOut(sum)).to.be.closeTo(statedTotal(sum), 1e-6);
      gateway.provider.reset();
      gateway.provider.answers(told);
      expect(await charged(path, body)).to.equal(Math.floor(statedTotal(sum) + 0.5));
    });
  }

  const usage = openAi(1000, 100);
  const answersAlike = () => {
    gateway.provider.reset();
    gateway.provider.answers({ usage });
  };

  it('charges a call by the price that held when it began, though it ends after that', async () => {
    answersAlike();
    const until = Math.ceil(Date.now() / 1000) * 1000 + 3000;
    await gateway.options({ ModelCatalog: timed([{ when: { until: iso(until) }, times: 0.5 }]) });
    await eventually(async () => expect(await charged('/v1/chat/completions', { model: 'timed', messages: hello })).to.equal(1200));
    gateway.provider.answersNext({ usage, delayMs: until - Date.now() + 300 });
    expect(await charged('/v1/chat/completions', { model: 'timed', messages: hello }), '(1000 × 2 + 100 × 4) × 0.5').to.equal(1200);
    expect(Date.now(), 'it ends after the price').to.be.greaterThan(until);
    expect(await charged('/v1/chat/completions', { model: 'timed', messages: hello }), '(1000 × 4 + 100 × 8) × 0.5').to.equal(2400);
  });

  it('charges by the hour of the day in UTC', async () => {
    const now = Date.now();
    const hour = 3_600_000;
    answersAlike();
    for (const [hours, quota] of [
      [[clock(now - hour), clock(now + hour)], 1200],
      [[clock(now + hour), clock(now - hour)], 2400],
    ] as const) {
      await gateway.options({ ModelCatalog: timed([{ when: { hours: [hours] }, times: 0.5 }]) });
      await eventually(async () => expect(await charged('/v1/chat/completions', { model: 'timed', messages: hello })).to.equal(quota));
    }
  });
});
