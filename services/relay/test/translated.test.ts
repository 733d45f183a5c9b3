import { expect } from 'chai';
import { framesOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('Providers that speak otherwise', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    await gateway.channels([
      { type: 14, models: ['claude-x', 'claude-opus-4-8'] },
      { type: 3, models: ['gpt-4.1'], other: '2024-10-21', key: 'azure-key' },
      { type: 24, models: ['gemini-x', 'gemini-embedding'], key: 'gemini-key' },
      { type: 37, models: ['an-app'] },
    ]);
    await gateway.options({
      ModelRatio: JSON.stringify({ 'claude-x': 1, 'gpt-4.1': 1, 'gemini-x': 1, 'gemini-embedding': 1, 'an-app': 1 }),
    });
    await untilServed(gateway, user.token, 'claude-x');
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user();
  });
  const bill = () => gateway.bill(user);

  it('an Anthropic answer comes as OpenAI’s, and its usage is charged', async () => {
    gateway.provider.answers({ words: 6, promptTokens: 12 });
    const answer = await gateway.client(user.token).chat.completions.create(question({ model: 'claude-x' }));
    expect(answer.choices[0]?.message.content).to.contain('w5');
    expect(answer.usage).to.include({ prompt_tokens: 12, completion_tokens: 6, total_tokens: 18 });
    expect(gateway.provider.lastCall()).to.include({ path: '/v1/messages' });
    expect(gateway.provider.lastCall().headers).to.include({ 'x-api-key': 'upstream-key-1' });
    expect(await bill()).to.include({ usageSource: 'upstream', upstreamModel: 'claude-x' });
  });

  it('a model of the catalog is priced and capped without a word of the operator, and what its rules changed is listed', async () => {
    user = await gateway.user({ balance: 100_000_000 }); // enough for the longest answer, so that the balance changes nothing
    gateway.provider.answers({ words: 6, promptTokens: 12 });
    const { response } = await gateway
      .client(user.token)
      .chat.completions.create(question({ model: 'claude-opus-4-8', temperature: 0.2, reasoning_effort: 'high' }))
      .withResponse();
    expect(response.headers.get('x-tollgate-changed')).to.equal('temperature: changed for the model');
    expect(JSON.parse(gateway.provider.lastCall().body)).to.deep.include({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    });
    expect(JSON.parse(gateway.provider.lastCall().body).max_tokens, 'as long as the model answers').to.equal(128_000);
    // 12 x 5 and 6 x 25 US dollars a million
    expect(await bill()).to.include({ quota: Math.round((12 * 5 + 6 * 25) / 2) });
    expect((await gateway.events(user))[0]?.changes).to.deep.equal(['temperature: changed for the model']);
  });

  it('a catalog that root uploads prices and rules a model from the next call on', async () => {
    const nova = { name: 'nova-9', provider: 'example', family: 'claude-adaptive', price: { input: 10, output: 100 } };
    const models = [{ ...nova, source: 'https://example.com/nova', read: '2026-11-26' }];
    await gateway.channels([{ type: 14, models: ['nova-9'] }]);
    await gateway.options({ ModelCatalog: JSON.stringify({ version: 1, families: {}, models }) });
    await untilServed(gateway, user.token, 'nova-9');
    user = await gateway.user();
    gateway.provider.answers({ words: 6, promptTokens: 12 });
    await gateway.client(user.token).chat.completions.create(question({ model: 'nova-9', temperature: 0.2 }));
    expect(JSON.parse(gateway.provider.lastCall().body)).to.not.have.property('temperature');
    expect(await bill()).to.include({ quota: (12 * 10 + 6 * 100) / 2 });
  });

  it('an Anthropic stream comes as OpenAI’s chunks, in pieces of any size', async () => {
    for (const chunkBytes of [1, 50, 10_000]) {
      user = await gateway.user();
      gateway.provider.answers({ words: 6, promptTokens: 12, chunkBytes });
      const stream = await gateway
        .client(user.token)
        .chat.completions.create({ ...question({ model: 'claude-x' }), stream: true, stream_options: { include_usage: true } });
      let text = '';
      let total = 0;
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        total = chunk.usage?.total_tokens ?? total;
      }
      expect(text.trim()).to.equal('w0 w1 w2 w3 w4 w5');
      expect(total).to.equal(18);
      expect(await bill()).to.include({ usageSource: 'upstream', endReason: 'complete' });
    }
  });

  it('an Anthropic stream that dies gives an error event, no [DONE], and is paid', async () => {
    gateway.provider.answers({ words: 30, promptTokens: 12, breakAfter: 15, breakBy: 'destroy' });
    const answer = await gateway.post('/v1/chat/completions', question({ model: 'claude-x', stream: true }), {
      authorization: user.token.authorization,
    });
    const frames = await framesOf(answer);
    expect(frames.at(-1)).to.contain('"error"');
    expect(frames.join('')).not.to.contain('[DONE]');
    expect(await bill()).to.include({ usageSource: 'estimated', endReason: 'upstream_died' });
  });

  it('Azure is asked by deployment, version and api-key', async () => {
    gateway.provider.answers({ words: 2 });
    const answer = await gateway.post('/v1/chat/completions', question({ model: 'gpt-4.1' }), { authorization: user.token.authorization });
    expect(answer.status).to.equal(200);
    const { path, headers } = gateway.provider.lastCall();
    expect(path).to.equal('/openai/deployments/gpt-41/chat/completions?api-version=2024-10-21');
    expect(headers).to.include({ 'api-key': 'azure-key' }).and.not.have.property('authorization');
  });

  it('a Gemini answer and a Gemini stream come as OpenAI’s, and are charged', async () => {
    gateway.provider.answers({ words: 6, promptTokens: 12 });
    const client = gateway.client(user.token);
    const answer = await client.chat.completions.create(question({ model: 'gemini-x' }));
    expect(answer.choices[0]?.message.content).to.contain('w5');
    expect(gateway.provider.lastCall().path).to.equal('/v1beta/models/gemini-x:generateContent');
    expect(gateway.provider.lastCall().headers).to.include({ 'x-goog-api-key': 'gemini-key' });
    expect(await bill()).to.include({ usageSource: 'upstream', endReason: 'complete' });

    user = await gateway.user();
    let text = '';
    const stream = await gateway.client(user.token).chat.completions.create({ ...question({ model: 'gemini-x' }), stream: true });
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text).to.contain('w5');
    expect(await bill()).to.include({ usageSource: 'upstream', endReason: 'complete' });
  });

  it('a Dify app, which may know no other way, is asked to stream, and its answer comes whole where that is wanted', async () => {
    gateway.provider.answers({ case: 'dify/chat-stream' });
    const client = gateway.client(user.token);
    const answer = await client.chat.completions.create(question({ model: 'an-app' }));
    expect(answer.choices[0]).to.deep.include({ finish_reason: 'stop' });
    expect(answer.choices[0]?.message.content).to.equal('All good.');
    expect(answer.usage).to.include({ prompt_tokens: 30, completion_tokens: 5, total_tokens: 35 });
    const { body, headers } = gateway.provider.lastCall();
    expect(JSON.parse(body)).to.include({ response_mode: 'streaming' });
    expect(headers.accept).to.equal('text/event-stream');
    expect(await bill()).to.include({ usageSource: 'upstream', endReason: 'complete' });

    const event = (name: string, answer: string) => `data: ${JSON.stringify({ event: name, answer, message_id: 'm' })}`;
    const replaced = [event('message', 'What was not'), event('message_replace', 'No.'), event('message_end', '')];
    gateway.provider.answers({ frames: replaced });
    const moderated = await client.chat.completions.create(question({ model: 'an-app' }));
    expect(moderated.choices[0]?.message.content).to.equal('No.');
    gateway.provider.answers({ case: 'dify/error-event' });
    const failed = await client.chat.completions.create(question({ model: 'an-app' }), { maxRetries: 0 }).catch((error: unknown) => error);
    expect(String(failed)).to.include('quota');
    gateway.provider.answers({ frames: replaced.slice(0, 1) });
    const half = await client.chat.completions.create(question({ model: 'an-app' }), { maxRetries: 0 }).catch((error: unknown) => error);
    expect(half).to.have.property('status', 502);
    expect(await gateway.events(user)).to.have.length(2);
  });

  it('Gemini embeddings reach the official client, which asks for base64, as numbers', async () => {
    const { data } = await gateway.client(user.token).embeddings.create({ model: 'gemini-embedding', input: ['a', 'b'] });
    expect(data).to.have.length(2);
    expect(data[0]?.embedding).to.be.an('array').that.is.not.empty;
    for (const number of data[0]?.embedding ?? []) expect(number).to.be.a('number').within(-1e6, 1e6);
    expect((await bill()).quota).to.be.greaterThan(0);
  });

  it('says in words what a provider cannot be asked', async () => {
    const answer = await gateway.post('/v1/embeddings', { model: 'claude-x', input: 'x' }, { authorization: user.token.authorization });
    expect(answer.status).to.equal(400);
    expect(((await answer.json()) as { error: { code: string } }).error.code).to.equal('mode_not_supported');
  });
});
