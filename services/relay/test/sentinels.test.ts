import { loadConfig, redisAccess, redisAccessEnv } from '@tollgate/runtime';
import { eventually, freePort, type RedisServer, startRedis, startSentinel } from '@tollgate/testing';
import { refuseUnfitRedis } from '@tollgate/wallet';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('A Redis that sentinels watch', function () {
  this.timeout(90_000);
  let primary: RedisServer;
  let replicas: RedisServer[];
  let sentinel: Awaited<ReturnType<typeof startSentinel>>;
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    primary = await startRedis();
    const follow = ['--replicaof', '127.0.0.1', String(primary.port), '--repl-diskless-sync-delay', '0'];
    replicas = await Promise.all([startRedis({ args: follow }), startRedis({ args: follow })]);
    sentinel = await startSentinel(primary);
    const address = 'redis://mymaster';
    const replicated = { REDIS_WAIT_REPLICAS: '2', REDIS_WAIT_MS: '60000' };
    gateway = await startGateway({ REDIS_URL: address, BUS_URL: address, REDIS_SENTINELS: `127.0.0.1:${sentinel.port}`, ...replicated });
    await gateway.channel();
    user = await gateway.user({ balance: 1_000_000 });
    await untilServed(gateway, user.token);
  });
  after(async () => {
    await gateway?.stop();
    await sentinel?.stop();
    for (const replica of replicas ?? []) await replica.stop();
    await primary?.stop();
  });

  const ask = async ({ token } = user) =>
    (await gateway.post('/v1/chat/completions', question(), { authorization: token.authorization })).status;

  it('ends an answer, where replicas are waited for, when they have its bill', async () => {
    await untilFollowing(primary, replicas.length);
    const caller = await gateway.user();
    for (const { pid } of replicas) process.kill(pid, 'SIGSTOP');
    let isAnswered = false;
    const answer = gateway
      .post('/v1/chat/completions', question(), { authorization: caller.token.authorization })
      .then((response) => response.text())
      .then(() => {
        isAnswered = true;
      });
    try {
      await gateway.bill(caller);
      const watcher = new Redis(primary.url);
      await eventually(async () => expect(await watcher.info('clients')).to.match(/blocked_clients:[1-9]/), { timeoutMs: 20_000 });
      watcher.disconnect();
      expect(isAnswered).to.equal(false);
    } finally {
      for (const { pid } of replicas) process.kill(pid, 'SIGCONT');
    }
    await answer;
  });

  it('goes on at its replica when it dies the moment after an answer: balances and bills are there once, and calls are answered', async () => {
    const caller = await gateway.user();
    expect(await ask(caller)).to.equal(200);
    await primary.kill9();
    await eventually(async () => expect(await ask()).to.equal(200), { timeoutMs: 30_000, everyMs: 200 });
    expect(await gateway.events(caller)).to.have.length(1);
    expect((await gateway.events(user)).length).to.be.greaterThan(0);
  });

  it('may be asked to change places while calls come', async () => {
    const watcher = new Redis(sentinel.port, '127.0.0.1');
    const primaryPort = async () => Number(((await watcher.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster')) as string[])[1]);
    const before = await primaryPort();
    const there = replicas.find(({ port }) => port === before);
    if (there === undefined) throw new Error('nobody has taken over');
    await untilFollowing(there, 1);
    await eventually(async () => expect(await watcher.call('SENTINEL', 'FAILOVER', 'mymaster')).to.equal('OK'), { timeoutMs: 20_000 });
    await eventually(async () => expect(await primaryPort()).to.not.equal(before), { timeoutMs: 30_000 });
    await eventually(async () => expect(await ask()).to.equal(200), { timeoutMs: 30_000, everyMs: 100 });
    watcher.disconnect();
  });

  it('is told by its settings, and a cluster is refused', async () => {
    const { sentinels } = redisAccess(loadConfig(redisAccessEnv, { REDIS_SENTINELS: 'one:26380, [::1]:26381,two' })) as {
      sentinels?: unknown;
    };
    expect(sentinels).to.deep.equal([
      { host: 'one', port: 26_380 },
      { host: '::1', port: 26_381 },
      { host: 'two', port: 26_379 },
    ]);
    expect(() => loadConfig(redisAccessEnv, { REDIS_SENTINELS: 'one:two' })).to.throw('REDIS_SENTINELS');
    // Else the bus of a cluster listens 10 000 above its port, where whoever connects has his own.
    const server = await startRedis({ args: ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())] });
    const redis = new Redis(server.url);
    const refusal = await refuseUnfitRedis(redis).catch((error: Error) => error.message);
    redis.disconnect();
    await server.stop();
    expect(refusal).to.contain('cluster');
  });
});

/** Until so many replicas have all that the primary has. */
async function untilFollowing(primary: RedisServer, count: number): Promise<void> {
  const redis = new Redis(primary.url);
  await eventually(async () => expect(await redis.wait(count, 1000)).to.equal(count), { timeoutMs: 20_000 });
  redis.disconnect();
}
