import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('POST /v1/chat/completions', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    await gateway.channel();
    await untilServed(gateway, user.token);
  });
  after(() => gateway.stop());
  beforeEach(() => gateway.provider.reset());

  it('answers what the provider answers, and reports its usage', async () => {
    gateway.provider.answers({ words: 5, promptTokens: 11 });
    const answer = await gateway
      .client(user.token)
      .chat.completions.create({ model: 'test-model', messages: [{ role: 'user', content: 'Hi' }] });
    expect(answer.choices[0]?.message.content).to.be.a('string').and.not.empty;
    expect(answer.usage).to.include({ prompt_tokens: 11, completion_tokens: 5 });
    const [event] = await gateway.events(user);
    expect(event).to.include({ userId: user.id, model: 'test-model', endReason: 'complete', usageSource: 'upstream', quota: 16 });
    expect(gateway.provider.lastCall().headers.authorization).to.equal('Bearer upstream-key-1');
  });

  it('streams the frames of the provider and reports before the end', async () => {
    gateway.provider.answers({ words: 8, promptTokens: 7 });
    const stream = await gateway
      .client(user.token)
      .chat.completions.create({ model: 'test-model', stream: true, messages: [{ role: 'user', content: 'Hi' }] });
    let text = '';
    for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    expect(text.trim().split(' ')).to.have.length(8);
    await eventually(async () => {
      const event = (await gateway.events(user)).find((candidate) => candidate.isStream);
      expect(event).to.include({ endReason: 'complete', usageSource: 'upstream', quota: 15 });
    });
  });

  it('takes bodies of Cursor: Responses, Anthropic blocks, tools without the nested function, and empty lists of tools', async () => {
    const { token } = await gateway.user();
    const post = async (body: Record<string, unknown>) => {
      const answer = await gateway.post('/v1/chat/completions', { model: 'test-model', ...body }, { authorization: token.authorization });
      expect(answer.status, JSON.stringify(body)).to.equal(200);
      expect(await answer.json()).to.have.property('object', 'chat.completion');
      return gateway.provider.lastCall().json as { messages: Record<string, unknown>[]; tools?: unknown; tool_choice?: unknown };
    };
    const nested = [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } }];
    const flat = [{ type: 'function', name: 'f', description: 'd', parameters: { type: 'object' } }];
    const input = [
      { role: 'system', content: 's' },
      { role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    ];
    const whole = await post({ input, tools: flat });
    expect(whole.messages.map(({ role }) => role)).to.deep.equal(['system', 'user']);
    expect(whole).to.deep.include({ tools: nested }).and.not.have.property('input');
    const messages = [{ role: 'user', content: 'hi' }];
    const tools = [{ name: 'f', description: 'd', input_schema: { type: 'object' } }];
    expect(await post({ messages, tools: flat, tool_choice: { type: 'function', name: 'f' } })).to.deep.include({
      tools: nested,
      tool_choice: { type: 'function', function: { name: 'f' } },
    });
    const blocks = [
      ...messages,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'r' }] },
    ];
    const told = await post({ messages: blocks, tools, system: 's', tool_choice: { type: 'any' } });
    expect(told.messages.map(({ role }) => role)).to.deep.equal(['system', 'user', 'assistant', 'tool']);
    expect(told).to.deep.include({ tools: nested, tool_choice: 'required' }).and.not.have.property('system');
    expect(await post({ messages, tools: [], tool_choice: 'auto' })).not.to.have.any.keys('tools', 'tool_choice');
  });

  it('numbers the calls of a stream whose provider gives all one index, or none', async () => {
    const { token } = await gateway.user();
    for (const stated of [{ index: 0 }, {}]) {
      const piece = (calls: object[], finish: string | null = null) =>
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { tool_calls: calls }, finish_reason: finish }] })}`;
      const called = (id: string) => ({ ...stated, id, type: 'function', function: { name: 'f', arguments: '{}' } });
      gateway.provider.answersNext({ frames: [piece([called('a')]), piece([called('b')], 'tool_calls'), 'data: [DONE]'] });
      const indexes: number[] = [];
      for await (const chunk of await gateway
        .client(token)
        .chat.completions.create({ model: 'test-model', messages: [{ role: 'user', content: 'x' }], stream: true }))
        for (const call of chunk.choices[0]?.delta.tool_calls ?? []) indexes.push(call.index);
      expect(indexes).to.deep.equal([0, 1]);
    }
  });
});
