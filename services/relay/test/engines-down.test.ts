import { randomBytes } from 'node:crypto';
import { createLogger, loadConfig, stopSteps } from '@tollgate/runtime';
import { engines, eventually, type RedisServer, startBundledMongo, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import { relayEnv } from '../src/config.ts';
import { openRelay } from '../src/open.ts';
import { errorOf, question } from './support/ask.ts';
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

  it('the database: responses go on and are stored later; what refers to a stored one is to come back', async () => {
    const respond = (fields: Record<string, unknown> = {}) =>
      gateway.post('/v1/responses', { model: 'test-model', input: 'Hi', ...fields }, { authorization: user.token.authorization });
    const stored = ((await (await respond()).json()) as { id: string }).id;
    await store.kill9();
    const answer = await respond();
    expect(answer.status).to.equal(200);
    const { id } = (await answer.json()) as { id: string };
    for (const fields of [{ previous_response_id: stored }, { conversation: 'conv_1' }, { background: true }]) {
      const refused = await respond(fields);
      expect(refused.status, JSON.stringify(fields)).to.equal(503);
      expect(refused.headers.get('retry-after')).not.to.equal(null);
    }
    await store.restart();
    for (const each of [stored, id])
      await eventually(async () => expect((await respond({ previous_response_id: each })).status).to.equal(200), { timeoutMs: 30_000 });
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

  it('Redis that is silent: calls that wait are asked to come back, and go on when it answers', async () => {
    expect((await ask()).status).to.equal(200);
    process.kill(redis.pid, 'SIGSTOP');
    const sentAt = performance.now();
    const waited = await ask();
    const waitedMs = performance.now() - sentAt;
    process.kill(redis.pid, 'SIGCONT');
    expect(waited.status).to.equal(503);
    expect(waited.headers.get('retry-after')).not.to.equal(null);
    expect(waitedMs).to.be.below(2_900); // then the connection is given up
    await eventually(async () => expect((await ask()).status).to.equal(200), { timeoutMs: 30_000 });
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0), { timeoutMs: 30_000 });
  });

  it('Redis without memory: no call without a reservation, said in the words of the API', async () => {
    const asked = gateway.provider.calls.length;
    await gateway.redis.config('SET', 'maxmemory', '1mb');
    const answer = await ask();
    expect(answer.status).to.equal(503);
    expect(Number(answer.headers.get('retry-after'))).to.be.greaterThan(0);
    const error = await errorOf(answer);
    expect(error.message)
      .to.be.a('string')
      .and.not.match(/OOM|Redis|script/i);
    expect(gateway.provider.calls).to.have.length(asked);
    await gateway.redis.config('SET', 'maxmemory', '0');
    await eventually(async () => expect((await ask()).status).to.equal(200), { timeoutMs: 10_000 });
    expect(await gateway.openHolds(user)).to.equal(0);
  });

  it('Redis without memory in mid answer: what is delivered is billed once, what cannot be billed is not delivered', async () => {
    const other = await gateway.user();
    const asOther = (fields: object) =>
      gateway.post('/v1/chat/completions', question({ ...fields }), { authorization: other.token.authorization });
    await (await asOther({})).text();
    expect(await gateway.events(other)).to.have.length(1);
    gateway.provider.answersNext({ words: 40, promptTokens: 10, paceMs: 20 }, { words: 5, promptTokens: 10, delayMs: 300 });
    const stream = await asOther({ stream: true });
    const whole = asOther({});
    const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    const read = async () => {
      const { done, value } = await reader.read();
      text += Buffer.from(value ?? []).toString();
      return !done;
    };
    while (!text.includes('"content":"')) await read();
    await eventually(() => expect(gateway.provider.calls.at(-1)?.json).to.not.have.property('stream', true));
    await gateway.redis.config('SET', 'maxmemory', '1mb');
    await eventually(() => expect(gateway.provider.totals().open).to.equal(0));
    await gateway.redis.config('SET', 'maxmemory', '0');
    while (await read());
    const answer = await whole;
    const isWhole = answer.status === 200;
    if (!isWhole) expect(answer.status).to.equal(503);
    await eventually(async () => expect(await gateway.events(other)).to.have.length(isWhole ? 3 : 2), { timeoutMs: 20_000 });
    const bills = await gateway.events(other);
    const quotas = bills.reduce((sum, { quota }) => sum + Number(quota), 0);
    expect(await gateway.held(other)).to.equal(quotas);
    expect(bills.filter(({ isStream }) => isStream)).to.have.length(1);
    if (text.includes('[DONE]')) expect(bills.find(({ isStream }) => isStream)).to.include({ quota: 50 });
  });
});

describe('A Redis that evicts', () => {
  it('is refused at the start, with the reason, also when it is not the bus', async () => {
    const { redisUrl, mongodbUri } = await engines();
    const evicting = await startRedis({ args: ['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'] });
    const env = {
      REDIS_URL: evicting.url,
      BUS_URL: await redisUrl(),
      MONGODB_URI: mongodbUri(),
      MASTER_KEY: randomBytes(32).toString('hex'),
      RELAY_PORT: '0',
    };
    const logger = createLogger({ service: 'relay', level: 'silent' });
    const steps = stopSteps(logger);
    const refusal = await openRelay(loadConfig(relayEnv, env), { logger, onStop: steps.onStop }).then(
      () => new Error('it started'),
      (error: Error) => error,
    );
    await steps.stop();
    await evicting.stop();
    expect(refusal.message).to.contain('allkeys-lru').and.to.contain('noeviction');
  });
});
