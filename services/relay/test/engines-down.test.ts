import { eventually, type RedisServer, startBundledMongo, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import { question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('Engines that are away', function () {
  this.timeout(120_000);
  let store: Awaited<ReturnType<typeof startBundledMongo>>;
  let redis: RedisServer;
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    store = await startBundledMongo();
    redis = await startRedis();
    gateway = await startGateway({
      MONGODB_URI: `${store.uri}tollgate?serverSelectionTimeoutMS=1000`,
      REDIS_URL: redis.url,
      BUS_URL: redis.url,
    });
    await gateway.channel();
    user = await gateway.user();
    await untilServed(gateway, user.token);
  });
  after(async () => {
    await gateway?.stop();
    await redis?.stop();
    await store?.stop();
  });
  const ask = (authorization = user.token.authorization) => gateway.post('/v1/chat/completions', question(), { authorization });
  const isReady = async () => (await fetch(`${gateway.url}/readyz`)).status;

  it('the database: known keys go on, unknown ones are asked to come back, nobody is told that his key is wrong', async () => {
    const other = await gateway.token(user);
    expect((await ask()).status).to.equal(200);
    await store.kill9();
    expect((await ask()).status).to.equal(200);
    const answer = await ask(other.authorization);
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('retry-after')).not.to.equal(null);
    expect(await isReady()).to.equal(503);
    await store.restart();
    await eventually(async () => expect((await ask(other.authorization)).status).to.equal(200), { timeoutMs: 30_000 });
    await eventually(async () => expect(await isReady()).to.equal(200), { timeoutMs: 30_000 });
  });

  it('Redis: no call without a reservation; calls go on as soon as it is back', async () => {
    expect((await ask()).status).to.equal(200);
    const asked = gateway.provider.calls.length;
    await redis.kill9();
    const answer = await ask();
    expect(answer.status).to.equal(503);
    expect(answer.headers.get('retry-after')).not.to.equal(null);
    expect(gateway.provider.calls).to.have.length(asked);
    await redis.restart();
    await eventually(async () => expect((await ask()).status).to.equal(200), { timeoutMs: 30_000 });
  });

  it('Redis without memory: no call without a reservation', async () => {
    await gateway.redis.config('SET', 'maxmemory', '1mb');
    expect((await ask()).status).to.equal(503);
    await gateway.redis.config('SET', 'maxmemory', '0');
    await eventually(async () => expect((await ask()).status).to.equal(200), { timeoutMs: 10_000 });
    expect(await gateway.openHolds(user)).to.equal(0);
  });
});
