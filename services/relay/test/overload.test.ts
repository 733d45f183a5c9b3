import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { askAt, question } from './support/ask.ts';
import { burst } from './support/burst.ts';
import { type Gateway, startGateway, untilServed } from './support/gateway.ts';

/** Every turn of the event loop takes more than no time: one call begins in each, as in a relay that has far too much to do. */
const asIfBusy = { RELAY_BUSY_MS: '0' };

describe('More calls than can be served', () => {
  describe('wait for their turn', () => {
    let gateway: Gateway;

    before(async () => {
      gateway = await startGateway(asIfBusy);
      await gateway.channel();
    });
    after(() => gateway.stop());

    it('one of each user after the other: five calls of a quiet one pass five hundred of a noisy one, whatever keys he has', async () => {
      const noisy = await gateway.user({ balance: 1e9 });
      const quiet = await gateway.user();
      const keys = [noisy.token, await gateway.token(noisy), await gateway.token(noisy)];
      for (const token of [...keys, quiet.token]) {
        await untilServed(gateway, token);
        expect((await askAt(gateway.url, token.authorization)).status).to.equal(200);
      }
      const callers = Array.from({ length: 505 }, (_, at) => (at < 500 ? keys[at % keys.length] : quiet.token));
      const order: number[] = [];
      const answers = await burst(
        gateway.url,
        callers.map((token) => ({ path: '/v1/chat/completions', body: question(), authorization: token?.authorization ?? '' })),
        (at) => order.push(at),
      );
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
      const lastQuiet = Math.max(...[500, 501, 502, 503, 504].map((at) => order.indexOf(at)));
      expect(order.length - lastQuiet, 'noisy calls that were answered later: first come, first served would be none').to.be.above(50);
      await eventually(async () => expect((await gateway.events(noisy)).length).to.equal(500 + keys.length));
      expect(await gateway.openHolds(noisy)).to.equal(0);
    });
  });

  describe('that come as a burst', () => {
    let gateway: Gateway;

    before(async () => {
      gateway = await startGateway({ ...asIfBusy, RELAY_QUEUE_MS: '1', RELAY_BURST_MS: '60000' });
      await gateway.channel();
    });
    after(() => gateway.stop());

    it('are all served, however long the last one waits', async () => {
      const { token } = await gateway.user({ balance: 1e9 });
      await untilServed(gateway, token);
      const { authorization } = token;
      const calls = Array.from({ length: 300 }, () => ({ path: '/v1/chat/completions', body: question(), authorization }));
      const statuses = (await burst(gateway.url, calls)).map(({ status }) => status);
      expect(new Set(statuses)).to.deep.equal(new Set([200]));
    });
  });

  describe('in a rush that lasts', () => {
    let gateway: Gateway;

    before(async () => {
      gateway = await startGateway({ ...asIfBusy, RELAY_BURST_MS: '1' });
      await gateway.channel();
    });
    after(() => gateway.stop());

    it('are refused as they come when their user has his part of the queue; who asks for less than his part is served', async () => {
      const noisy = await gateway.user({ balance: 1e9 });
      const quiet = [await gateway.user(), await gateway.user()];
      for (const { token } of [noisy, ...quiet]) await untilServed(gateway, token);
      const callers = [...Array.from({ length: 500 }, () => noisy), ...quiet];
      const answers = await burst(
        gateway.url,
        callers.map(({ token }) => ({ path: '/v1/chat/completions', body: question(), authorization: token.authorization })),
      );
      expect(answers.slice(500).map(({ status }) => status)).to.deep.equal([200, 200]);
      const refused = answers.filter(({ status }) => status === 503);
      expect(refused.length, 'refused, though each might have waited a minute').to.be.above(0);
      for (const { headers } of refused) expect(Number(headers.get('retry-after'))).to.be.within(1, 3);
    });
  });

  describe('are refused when they have waited too long', () => {
    let gateway: Gateway;

    before(async () => {
      gateway = await startGateway({ ...asIfBusy, RELAY_QUEUE_MS: '1', RELAY_BURST_MS: '1' });
      await gateway.channel();
    });
    after(() => gateway.stop());

    const messages = [{ role: 'user', content: 'Hello' }];
    const doors = [
      { path: '/v1/chat/completions', body: question() },
      { path: '/v1/messages', body: { model: 'test-model', max_tokens: 9, messages } },
      { path: '/v1beta/models/test-model:generateContent', body: { contents: [{ parts: [{ text: 'Hello' }] }] } },
    ];

    it('in their dialect and with the time to come back; what is let in is answered and charged, once', async () => {
      const user = await gateway.user({ balance: 1e9 });
      const { authorization } = user.token;
      await untilServed(gateway, user.token);
      const calls = Array.from({ length: 600 }, (_, at) => ({ ...(doors[at % doors.length] as (typeof doors)[number]), authorization }));
      const answers = await burst(gateway.url, calls);
      const served = answers.filter(({ status }) => status === 200);
      const refused = answers.filter(({ status }) => status === 503);
      expect(served.length + refused.length).to.equal(600);
      expect(served.length).to.be.above(0);
      for (const { headers } of refused) expect(Number(headers.get('retry-after'))).to.be.within(1, 3);
      const told = refused.map(({ json }) => json as { type?: string; error: Record<string, unknown> });
      expect(told.some(({ error }) => error.code === 'overloaded' && error.type === 'server_error')).to.equal(true);
      expect(told.some(({ type, error }) => type === 'error' && error.type === 'overloaded_error')).to.equal(true);
      expect(told.some(({ error }) => error.code === 503 && error.status === 'UNAVAILABLE')).to.equal(true);
      expect(gateway.provider.calls.length).to.equal(served.length);
      await eventually(async () => expect((await gateway.events(user)).length).to.equal(served.length));
      expect(await gateway.openHolds(user)).to.equal(0);
    });
  });
});
