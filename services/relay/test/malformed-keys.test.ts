import { channelTypes } from '@tollgate/contracts';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, modelRatios, startGateway, type TestUser, untilServed } from './support/gateway.ts';

const secret = 'planted-secret-0123456789';
/** What no key with a form is; a channel may have one that was stored by another release, or past the console. */
const malformed = [
  secret,
  '',
  `${secret}|`,
  `||${secret}`,
  `${secret}.`,
  `a|b|c|d|${secret}`,
  `{"private_key":"${secret}"}`,
  `["${secret}"]`,
  `${secret}\nb`,
];
const withForm = channelTypes.filter(({ needs }) => ['pipe', 'dot', 'json'].includes(needs.key.format));

const messages = [{ role: 'user', content: 'Hello' }];
const dialects: Record<string, (model: string) => [path: string, body: unknown]> = {
  OpenAI: (model) => ['/v1/chat/completions', { model, messages }],
  Anthropic: (model) => ['/v1/messages', { model, messages, max_tokens: 10 }],
  Gemini: (model) => [`/v1beta/models/${model}:generateContent`, { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }],
};

describe('Keys that have not the form of their channel’s type', () => {
  let gateway: Gateway;
  let user: TestUser;
  const cells = withForm.flatMap(({ type, name }) => malformed.map((key, n) => ({ type, name, key, model: `gemini-${type}-${n}` })));

  before(async function () {
    this.timeout(60_000);
    gateway = await startGateway();
    user = await gateway.user();
    const ratios = cells.flatMap(({ model }) => [model, `good-${model}`]).map((model) => [model, 1]);
    await gateway.options({ RetryTimes: '1', ModelRatio: JSON.stringify({ ...modelRatios, ...Object.fromEntries(ratios) }) });
    const malformedOnes = cells.map(({ type, key, model }) => ({
      type,
      key,
      models: [model, `good-${model}`],
      priority: 10,
      other: type === 41 ? 'us-central1' : '',
    }));
    await gateway.channels([...malformedOnes, { models: ['test-model', ...cells.map(({ model }) => `good-${model}`)] }]);
    await untilServed(gateway, user.token);
  });
  after(() => gateway.stop());

  for (const [dialect, ask] of Object.entries(dialects))
    it(`are told in ${dialect}’s dialect as no fault of the caller’s, without the key; nothing is sent or paid, and the next channel serves`, async function () {
      this.timeout(120_000);
      const caller = await gateway.user();
      const { authorization } = caller.token;
      for (const { name, key, model } of cells) {
        const shown = `${name} ${JSON.stringify(key)}`;
        gateway.provider.reset();
        const alone = await gateway.post(...ask(model), { authorization });
        const text = await alone.text();
        expect(alone.status, `${shown}: ${text}`).to.equal(502);
        expect(text, shown).to.include('The upstream provider refused the account of this channel').and.not.include(secret);
        expect(gateway.provider.calls, shown).to.have.length(0);
        const passed = await gateway.post(...ask(`good-${model}`), { authorization });
        expect(passed.status, `${shown}: ${await passed.text()}`).to.equal(200);
      }
      await eventually(async () => expect(await gateway.openHolds(caller)).to.equal(0));
      const events = await gateway.events(caller);
      expect(events.filter(({ quota }) => Number(quota) > 0)).to.have.length(cells.length);
      expect(JSON.stringify(events)).to.not.include(secret);
    });
});
