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
});
