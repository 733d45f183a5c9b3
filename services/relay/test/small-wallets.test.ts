import { eventually, type ServiceProcess } from '@tollgate/testing';
import { expect } from 'chai';
import { errorOf, question } from './support/ask.ts';
import { callsOf, expectSettled } from './support/books.ts';
import { type Gateway, startGateway, untilServed } from './support/gateway.ts';
import { startBillingProcess } from './support/processes.ts';

/** Output tokens cost what the rules of their family say: 4, 5 and 8 times the input. */
const reasoners = [
  { model: 'o3-mini', type: 1, fields: {} },
  { model: 'claude-3-7-sonnet-20250219-thinking', type: 14, fields: {} },
  { model: 'claude-sonnet-4-0', type: 14, fields: { reasoning_effort: 'high' } },
  { model: 'gemini-2.5-pro-preview-03-25', type: 24, fields: { reasoning_effort: 'high' } },
];

describe('A small wallet and models that think unseen', function () {
  this.timeout(120_000);
  let gateway: Gateway;
  let billing: ServiceProcess;

  before(async () => {
    gateway = await startGateway();
    const first = await gateway.user();
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(reasoners.map(({ model }) => [model, 1]))) });
    await gateway.channels(reasoners.map(({ model, type }) => ({ type, models: [model] })));
    for (const { model } of reasoners) await untilServed(gateway, first.token, model);
    billing = await startBillingProcess(gateway.env);
  });
  after(async () => {
    await billing?.stop();
    await gateway?.stop();
  });
  beforeEach(() => gateway.provider.reset());

  const granted = 60_000;

  for (const { model, fields } of reasoners) {
    for (const [name, reasoningTokens] of [
      ['as long as it may', 300_000],
      ['about a tenth of the wallet', 1_000],
    ] as const) {
      it(`200 calls of ${model} without a limit, which thinks ${name}: never more than the wallet carries`, async () => {
        gateway.provider.answers({ words: 20, promptTokens: 10, reasoningTokens });
        const user = await gateway.user({ balance: granted });
        const statuses = await Promise.all(
          Array.from({ length: 200 }, async (_, index) => {
            const asked = question({ model, stream: index % 2 === 0, ...fields });
            const answer = await gateway.post('/v1/chat/completions', asked, { authorization: user.token.authorization });
            if (answer.status === 200) await answer.text();
            else expect((await errorOf(answer)).code).to.equal('insufficient_user_quota');
            return answer.status;
          }),
        );
        const answered = statuses.filter((status) => status === 200).length;
        expect(answered).to.be.at.least(reasoningTokens > granted ? 1 : 5);
        await eventually(() => expectSettled(gateway, user, { calls: answered, granted }), { timeoutMs: 20_000 });
        for (const row of await callsOf(user)) expect(row.uncollected).to.equal(0);
        expect((await gateway.wallet.balance(user.id)).balance).to.be.at.least(0);
      });
    }
  }
});
