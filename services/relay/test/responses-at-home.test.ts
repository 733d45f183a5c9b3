import { expect } from 'chai';
import { framesOf } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

type Json = Record<string, unknown>;

const message = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const usage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 5 },
  output_tokens: 12,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 32,
};
const response = (more: Json = {}) => ({
  id: 'resp_own',
  object: 'response',
  created_at: 1,
  model: 'upstream',
  status: 'completed',
  error: null,
  unheard_of: 1.0,
  output: [message('Hello you')],
  usage,
  ...more,
});
/** The same with the name that was requested in the place of the mapped one. */
const named = (text: string) => text.replaceAll('"model":"upstream"', '"model":"own-model"');
const event = (type: string, more: Json) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}`;
const begun = event('response.created', { sequence_number: 0, response: response({ status: 'in_progress', output: [], usage: null }) });
const piece = (at: number, delta: string) =>
  event('response.output_text.delta', { sequence_number: at, item_id: 'msg_1', output_index: 0, content_index: 0, delta });
const frames = (last: string) => [begun, event('response.a_new_one', { x: 1 }), piece(2, 'Hello '), piece(3, 'you'), last];
const completed = event('response.completed', { sequence_number: 4, response: response() });

describe('Responses at a channel that has them', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    await gateway.channels([
      { models: ['own-model', 'o3-high'], setting: '{"responses":true}', modelMapping: '{"own-model":"upstream"}' },
      { models: ['plain-model'] },
      // Source: https://learn.microsoft.com/azure/ai-foundry/openai/how-to/responses
      { type: 3, models: ['gpt.azure'], setting: '{"responses":true}', key: 'azure-key', other: '2025-01-01-preview' },
    ]);
    await gateway.options({
      ModelRatio: JSON.stringify({ 'own-model': 1, 'plain-model': 1, 'o3-high': 1, 'gpt.azure': 1 }),
      RequestFieldRatio: JSON.stringify({ 'tools=web_search': 2 }),
      ModelMaxOutput: '{"own-model":1000}',
    });
    await untilServed(gateway, user.token, 'plain-model');
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user();
  });

  const ask = (body: unknown) => gateway.post('/v1/responses', body, { authorization: user.token.authorization });
  const sent = () => gateway.provider.lastCall();

  it('go there as they came, and whole answers come back so, charged by their bill', async () => {
    gateway.provider.answers({ json: response() });
    const answer = await ask('{ "model":"own-model", "input":"Hi", "store":false, "top_logprobs":2, "temperature":1.0 }');
    expect(await answer.text()).to.equal(named(JSON.stringify(response())));
    expect(sent()).to.include({
      path: '/v1/responses',
      body: '{"model":"upstream","input":"Hi", "store":false, "top_logprobs":2, "temperature":1.0}',
    });
    const bill = await gateway.bill(user);
    expect(bill).to.include({ usageSource: 'upstream', endReason: 'complete', upstreamModel: 'upstream' });
    expect(bill.usage).to.include({ textInput: 15, cachedInput: 5, textOutput: 8, reasoningOutput: 4 });
  });

  it('are sent once more without reasoning that the provider cannot decrypt, which the caller is told', async () => {
    const refusal = {
      error: {
        message: 'The encrypted content gAAA could not be verified.',
        type: 'invalid_request_error',
        code: 'invalid_encrypted_content',
      },
    };
    gateway.provider.answersNext({ status: 400, json: refusal }, { json: response() });
    const input = [
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAB' },
      { role: 'user', content: 'Hi' },
    ];
    const answer = await ask({ model: 'own-model', input, store: false });
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('x-tollgate-changed')).to.equal('reasoning: removed (refused by the provider)');
    expect(gateway.provider.calls).to.have.length(2);
    expect(sent().body).not.to.contain('reasoning');
    gateway.provider.answersNext({ status: 400, json: refusal }, { status: 400, json: refusal }, { json: response() });
    expect((await ask({ model: 'own-model', input, store: false })).status).to.equal(400);
    expect(gateway.provider.calls).to.have.length(4);
  });

  it('are streamed byte for byte, charged by their last event', async () => {
    gateway.provider.answers({ frames: frames(completed) });
    const answer = await ask({ model: 'own-model', input: 'Hi', stream: true });
    const text = frames(completed).map((frame) => `${frame}\n\n`);
    expect(await answer.text()).to.equal(named(text.join('')));
    expect((sent().json as Json).store).to.equal(false);
    expect(await gateway.bill(user)).to.include({ usageSource: 'upstream', isStream: true, endReason: 'complete' });
  });

  it('go to Azure by its address without a version, the deployment as the model', async () => {
    await untilServed(gateway, user.token, 'gpt.azure');
    gateway.provider.answers({ json: response({ content_filters: [{ blocked: false }] }) });
    const answer = await ask({ model: 'gpt.azure', input: 'Hi', store: false });
    expect(((await answer.json()) as Json).content_filters).to.deep.equal([{ blocked: false }]);
    const { path, headers, json } = sent();
    expect(path).to.equal('/openai/v1/responses');
    expect(headers).to.include({ 'api-key': 'azure-key' }).and.not.have.property('authorization');
    expect(json).to.include({ model: 'gptazure', input: 'Hi' });
    expect(await gateway.bill(user)).to.include({ usageSource: 'upstream', endReason: 'complete' });
    gateway.provider.answers({
      status: 404,
      json: { error: { code: 'DeploymentNotFound', message: 'The API deployment does not exist.' } },
    });
    const refused = await ask({ model: 'gpt.azure', input: 'Hi', store: false });
    expect(await refused.json()).to.have.nested.property('error.code', 'DeploymentNotFound');
  });

  it('may end incomplete, fail in the middle, or be told a bill that is not true', async () => {
    const incomplete = event('response.incomplete', {
      response: response({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
    });
    gateway.provider.answersNext(
      { frames: frames(incomplete) },
      {
        frames: frames(
          event('response.failed', { response: response({ status: 'failed', error: { code: 'server_error', message: 'It broke' } }) }),
        ),
      },
      { frames: frames(event('response.completed', { response: response({ usage: { input_tokens: -1 } }) })) },
      { json: response({ status: 'failed', error: { code: 'invalid_prompt', message: 'It was refused' } }) },
    );
    const stream = async () => framesOf(await ask({ model: 'own-model', input: 'Hi', stream: true }));
    expect((await stream()).at(-1)).to.equal(named(incomplete));
    const [error, failed] = (await stream()).slice(-2);
    expect(error).to.match(/^event: error\n.*It broke/s);
    expect(failed).to.match(/^event: response.failed\n.*It broke/s);
    const last = JSON.parse((await stream()).at(-1)?.split('data: ')[1] ?? '') as { response: { usage: Json } };
    expect(last.response.usage.output_tokens).to.be.within(1, 6);
    expect((await ask({ model: 'own-model', input: 'Hi' })).status).to.be.at.least(400);
    const ends = (await gateway.events(user)).map(({ endReason, usageSource }) => `${endReason} ${usageSource}`);
    expect(ends.sort()).to.deep.equal(['complete estimated', 'complete upstream', 'upstream_died estimated']);
  });

  it('keep to the cap of a small wallet, and price or refuse what runs at the provider', async () => {
    gateway.provider.answers({ json: response() });
    user = await gateway.user({ balance: 200 });
    expect((await ask({ model: 'own-model', input: 'Hi' })).status).to.equal(200);
    expect((sent().json as Json).max_output_tokens).to.be.within(16, 200);
    user = await gateway.user();
    const searching = await ask({ model: 'own-model', input: 'Hi', tools: [{ type: 'web_search' }] });
    expect(searching.status).to.equal(200);
    expect((sent().json as Json).tools).to.deep.equal([{ type: 'web_search' }]);
    expect(await gateway.bill(user)).to.include({ quota: 64 });
    const refused = async (body: Json) => ((await (await ask(body)).json()) as { error: Json }).error;
    expect(await refused({ model: 'own-model', input: 'Hi', tools: [{ type: 'file_search' }] })).to.include({
      code: 'unpriced_request_field',
    });
    expect(await refused({ model: 'own-model', input: 'Hi', previous_response_id: 'resp_1' })).to.include({
      param: 'previous_response_id',
    });
    expect(await refused({ model: 'plain-model', input: 'Hi', tools: [{ type: 'web_search' }] })).to.include({ param: 'tools[0]' });
  });

  it('leave out what only another provider could read, and ask for the effort that the name says', async () => {
    gateway.provider.answers({ json: response() });
    const foreign = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: `tg1.${Buffer.from('{}').toString('base64url')}` };
    const own = { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'gAAAA' };
    const question = { type: 'message', role: 'user', content: 'Hi' };
    expect((await ask({ model: 'o3-high', input: [foreign, own, question], reasoning: { summary: 'auto' } })).status).to.equal(200);
    expect(sent().json).to.deep.include({ model: 'o3', input: [own, question], reasoning: { summary: 'auto', effort: 'high' } });
  });

  it('are told in chat completions where the channel does not say that it has them', async () => {
    expect((await ask({ model: 'plain-model', input: 'Hi' })).status).to.equal(200);
    expect(sent().path).to.equal('/v1/chat/completions');
  });
});
