import { eventually, type ServiceProcess, startService } from '@tollgate/testing';
import { expect } from 'chai';
import { errorOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('Two relays on one Redis', () => {
  let gateway: Gateway;
  let other: ServiceProcess;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user({ balance: 1e9 });
    await gateway.options({ RetryTimes: '0' });
    await gateway.channel({});
    other = await startService('relay', gateway.env);
    await untilServed(gateway, user.token);
  });
  after(async () => {
    await other?.stop();
    await gateway.stop();
  });
  beforeEach(() => gateway.provider.reset());

  const ask = (url: string, caller = user) =>
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: caller.token.authorization },
      body: JSON.stringify(question({})),
    });

  it('have one breaker: what opens in one is open in both within a second, one call probes, its success closes both', async () => {
    gateway.provider.answers({ status: 500 });
    for (let call = 0; call < 10; call += 1) expect((await ask(gateway.url)).status).to.equal(500);
    await eventually(
      async () => {
        const refused = await ask(other.url);
        expect(refused.status).to.equal(503);
        expect((await errorOf(refused)).code).to.equal('no_available_channel');
      },
      { timeoutMs: 1_000 },
    );
    expect((await ask(gateway.url)).status).to.equal(503);

    gateway.provider.reset();
    gateway.provider.answers({ words: 5, delayMs: 700 });
    let isOver = false;
    const answered = (async () => {
      while (!isOver) {
        const statuses = await Promise.all([gateway.url, other.url, other.url, gateway.url].map(async (url) => (await ask(url)).status));
        expect(statuses.every((status) => status === 200 || status === 503)).to.equal(true);
        if (statuses.includes(200)) return statuses.filter((status) => status === 200).length;
      }
      return 0;
    })();
    try {
      await eventually(() => expect(gateway.provider.calls.length).to.be.greaterThan(0), { timeoutMs: 10_000 });
      expect(await answered, 'while the probe was out').to.equal(1);
      expect(gateway.provider.calls).to.have.length(1);
    } finally {
      isOver = true;
    }
    gateway.provider.answers({});
    await eventually(async () => {
      expect((await ask(gateway.url)).status).to.equal(200);
      expect((await ask(other.url)).status).to.equal(200);
    });
  });

  it('go on by themselves when their news do not travel, and hear of each other again when they do', async () => {
    await gateway.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    expect((await ask(gateway.url)).status).to.equal(200);
    expect((await ask(other.url)).status).to.equal(200);
    await eventually(async () => expect(await gateway.redis.pubsub('NUMSUB', 'breakers')).to.deep.equal(['breakers', 2]));
    gateway.provider.answers({ status: 500 });
    for (let call = 0; call < 10; call += 1) await ask(other.url);
    await eventually(async () => expect((await ask(gateway.url)).status).to.equal(503), { timeoutMs: 1_000 });
    gateway.provider.answers({});
    await eventually(async () => expect((await ask(gateway.url)).status).to.equal(200), { timeoutMs: 10_000 });
  });

  it('count a user’s calls together: a limit of seven lets seven through', async () => {
    const limited = await gateway.user();
    await gateway.options({
      ModelRequestRateLimitEnabled: 'true',
      ModelRequestRateLimitDurationMinutes: '5',
      ModelRequestRateLimitCount: '7',
      ModelRequestRateLimitSuccessCount: '1000',
    });
    // Both know of the limit when each refuses somebody who may not call at all any more.
    const spent = await gateway.user();
    await eventually(async () => {
      for (const { url } of [gateway, other]) {
        const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await ask(url, spent)).status));
        expect(statuses).to.include(429);
      }
    });
    const urls = Array.from({ length: 30 }, (_, call) => (call % 2 === 0 ? gateway.url : other.url));
    const statuses = await Promise.all(urls.map(async (url) => (await ask(url, limited)).status));
    expect(statuses.filter((status) => status === 200)).to.have.length(7);
    expect(statuses.filter((status) => status === 429)).to.have.length(23);
    await gateway.options({ ModelRequestRateLimitEnabled: 'false' });
  });
});
