import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { errorOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

const long = { 'test-model': { above: 1000, input: 2, output: 3 } };

describe('What changes the price of a call', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    const ratios = { 'test-model': 1, 'gemini-x': 1, 'other-gateway': 1 };
    await gateway.options({ ModelRatio: JSON.stringify(ratios), LongContextPrice: JSON.stringify(long) });
    await gateway.channels([
      { models: ['test-model'] },
      { models: ['gemini-x'], type: 24 },
      { models: ['other-gateway'], type: 8, baseUrl: `${gateway.provider.url}/v1/chat/completions` },
    ]);
    for (const model of Object.keys(ratios)) await untilServed(gateway, (await gateway.user()).token, model);
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    gateway.provider.answers({ words: 10, promptTokens: 10 });
    user = await gateway.user();
  });

  const ask = (fields: Record<string, unknown>) =>
    gateway.post('/v1/chat/completions', question(fields), { authorization: user.token.authorization });
  const charged = async (): Promise<Record<string, unknown> | undefined> => {
    await eventually(async () => expect(await gateway.events(user)).to.have.length(1));
    return (await gateway.events(user))[0];
  };

  const refused: [field: string, fields: Record<string, unknown>][] = [
    ['service_tier=scale', { service_tier: 'scale' }],
    ['web_search_options', { web_search_options: {} }],
    ['search_parameters', { search_parameters: { mode: 'auto' } }],
    ['enable_search=true', { enable_search: true }],
    ['speed=fast', { speed: 'fast' }],
    ['inference_geo=us', { inference_geo: 'us' }],
    ['models', { models: ['dear-model'] }],
    ['provider', { provider: { order: ['dear'] } }],
    ['plugins', { plugins: [{ id: 'web' }] }],
    ['tools=web_search_20250305', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['tools=code_execution_20250825', { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] }],
    ['tools=googleSearch', { model: 'gemini-x', tools: [{ type: 'function', function: { name: 'googleSearch' } }] }],
  ];
  for (const [field, fields] of refused) {
    it(`${field} without a price is refused by name, before anything is held or asked`, async () => {
      const answer = await ask(fields);
      expect(answer.status).to.equal(400);
      const error = await errorOf(answer);
      expect(error).to.include({ type: 'invalid_request_error', code: 'unpriced_request_field' });
      expect(error.message).to.contain(field);
      expect(gateway.provider.calls).to.have.length(0);
      expect(await gateway.held(user)).to.equal(0);
    });
  }

  it('what costs nothing beside its tokens is let through', async () => {
    const tools = [
      { type: 'function', function: { name: 'googleSearch' } },
      { type: 'text_editor_20250728', name: 'edit' },
    ];
    const free = { service_tier: 'auto', enable_search: false, speed: null, tools };
    expect((await ask(free)).status).to.equal(200);
    expect(gateway.provider.lastCall().json).to.deep.include(free);
    expect((await charged())?.quota).to.equal(20);
  });

  it('a service tier costs its multiple where the provider knows it', async () => {
    expect((await ask({ service_tier: 'priority' })).status).to.equal(200);
    expect(gateway.provider.lastCall().json).to.include({ service_tier: 'priority' });
    const event = await charged();
    expect(event?.quota).to.equal(40);
    expect(event?.price).to.include({ modelRatio: 2 });
  });

  it('a service tier is not sent to a provider that does not know it, and costs nothing there', async () => {
    expect((await ask({ model: 'other-gateway', service_tier: 'flex' })).status).to.equal(200);
    expect(gateway.provider.lastCall().json).to.not.have.property('service_tier');
    expect((await charged())?.quota).to.equal(20);
  });

  it('a long prompt costs what long prompts cost, by what the provider counts', async () => {
    gateway.provider.answers({ words: 10, promptTokens: 1001 });
    expect((await ask({})).status).to.equal(200);
    const event = await charged();
    expect(event?.quota).to.equal(1001 * 2 + 10 * 3);
    expect(event?.price).to.include({ modelRatio: 2, completionRatio: 1.5 });
  });

  it('and a prompt as long as the limit costs the ordinary price', async () => {
    gateway.provider.answers({ words: 10, promptTokens: 1000 });
    expect((await ask({})).status).to.equal(200);
    expect((await charged())?.quota).to.equal(1010);
  });
});
