import { expect } from 'chai';
import { errorOf, framesOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

const usage = { prompt_tokens: 9, completion_tokens: 40, total_tokens: 49 };
const chunk = (content: string, more = {}) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason: null }], ...more })}`;
const last = `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })}`;

describe('A sensitive word in an answer', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    await gateway.channel({ models: ['test-model'] });
    await gateway.channel({ type: 14, models: ['other-model'] });
    await gateway.options({ SensitiveWords: 'unspeakable\nother word' });
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    user = await gateway.user();
    await untilServed(gateway, user.token);
    gateway.provider.reset();
  });
  const ask = (fields: Record<string, unknown> = {}) =>
    gateway.post('/v1/chat/completions', question(fields), { authorization: user.token.authorization });
  const whole = (content: string) => ({
    id: 'x',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage,
  });

  it('stops a stream at once, be it in pieces; what came is paid, what follows is not heard', async () => {
    const frames = [chunk('Good '), chunk('day. UNSPEAK'), chunk('able things'), chunk('secret end'), last, 'data: [DONE]'];
    gateway.provider.answersNext({ frames });
    const told = (await framesOf(await ask({ stream: true }))).join('\n');
    expect(told).to.contain('Good ').and.to.contain('UNSPEAK').and.to.contain('sensitive_words_detected');
    expect(told).not.to.contain('able things').and.not.to.contain('secret end');
    const bill = await gateway.bill(user);
    expect(bill).to.include({ endedFor: 'sensitive', isStream: true });
    expect(bill.quota).to.be.above(0);
    expect(await gateway.openHolds(user)).to.equal(0);
  });

  it('with which a stream begins is told, too: no other channel is asked, and it is not free', async () => {
    gateway.provider.answersNext({ frames: [chunk('unspeakable'), last, 'data: [DONE]'] });
    const told = (await framesOf(await ask({ stream: true }))).join('\n');
    expect(told).to.contain('sensitive_words_detected').and.not.to.contain('unspeakable');
    expect(gateway.provider.calls).to.have.length(1);
    expect((await gateway.bill(user)).endedFor).to.equal('sensitive');
  });

  it('is looked for whatever the provider calls its choices', async () => {
    const choices = (content: string) => ({ choices: [{ index: { toString: null }, delta: { content } }] });
    gateway.provider.answersNext({ frames: [chunk('', choices('Good ')), chunk('', choices('day')), last, 'data: [DONE]'] });
    expect((await framesOf(await ask({ stream: true }))).join('\n'))
      .to.contain('Good ')
      .and.to.contain('day')
      .and.to.contain('[DONE]');
    gateway.provider.answersNext({ frames: [chunk('', choices('unspeak')), chunk('', choices('able')), last, 'data: [DONE]'] });
    expect((await framesOf(await ask({ stream: true }))).join('\n')).to.contain('sensitive_words_detected');
  });

  it('keeps a whole answer from the caller, which is paid all the same; in other dialects, too', async () => {
    gateway.provider.answersNext({ json: whole('something Unspeakable') });
    const answer = await ask();
    expect(answer.status).to.equal(400);
    expect((await errorOf(answer)).code).to.equal('sensitive_words_detected');
    expect(await gateway.bill(user)).to.include({ endedFor: 'sensitive', quota: 49 });

    const other = await gateway.user();
    const message = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'other-model',
      stop_reason: 'end_turn',
      usage: { input_tokens: 9, output_tokens: 40 },
    };
    gateway.provider.answersNext({ json: { ...message, content: [{ type: 'text', text: 'an other word' }] } });
    const body = { model: 'other-model', max_tokens: 99, messages: [{ role: 'user', content: 'Hi' }] };
    const refused = await gateway.post('/v1/messages', body, { 'x-api-key': `sk-${other.token.key}` });
    expect(await refused.text()).not.to.contain('other word');
    expect(refused.status).to.equal(400);
    expect((await gateway.bill(other)).endedFor).to.equal('sensitive');
  });

  it('is let through while StopOnSensitiveEnabled is off, or the check of words is', async () => {
    for (const option of ['StopOnSensitiveEnabled', 'CheckSensitiveEnabled'] as const) {
      await gateway.options({ [option]: 'false' });
      await untilStatus(200, () => gateway.provider.answersNext({ json: whole('unspeakable') }));
      await gateway.options({ [option]: 'true' });
      await untilStatus(400, () => gateway.provider.answersNext({ json: whole('unspeakable') }));
    }
  });

  /** Until the relay has heard of the option. */
  async function untilStatus(status: number, answers: () => void): Promise<void> {
    const deadline = Date.now() + 20_000;
    for (;;) {
      answers();
      const answer = await ask();
      await answer.text();
      if (answer.status === status) return;
      if (Date.now() > deadline) expect(answer.status).to.equal(status);
    }
  }
});
