import { createServer, type Server } from 'node:net';
import { eventually, type FaultProxy, startFaultProxy, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';

describe('the fault proxy', () => {
  let engine: Awaited<ReturnType<typeof startRedis>>;
  let proxy: FaultProxy;
  let direct: Redis;
  const clients: Redis[] = [];

  before(async () => {
    engine = await startRedis();
    direct = new Redis(engine.url);
  });
  after(async () => {
    direct.disconnect();
    await engine.stop();
  });
  beforeEach(async () => {
    proxy = await startFaultProxy({ to: engine.port });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.disconnect();
    await proxy.close();
  });

  function client(): Redis {
    const made = new Redis(proxy.port, '127.0.0.1', { maxRetriesPerRequest: 0, retryStrategy: () => null });
    made.on('error', () => undefined);
    clients.push(made);
    return made;
  }
  const failed = (work: Promise<unknown>) =>
    work.then(
      () => false,
      () => true,
    );

  it('passes everything on, large answers whole', async () => {
    await client().set('large', 'x'.repeat(5_000_000));
    expect(await client().get('large')).to.have.length(5_000_000);
  });

  it('as a black hole is silent, and gives back what it held', async () => {
    const redis = client();
    await redis.ping();
    proxy.blackHole();
    const write = redis.set('held', '1');
    await direct.ping();
    expect(await direct.get('held')).to.equal(null);
    proxy.heal();
    await write;
    expect(await direct.get('held')).to.equal('1');
  });

  it('forgets lines: they stay silent, new ones work', async () => {
    const redis = client();
    await redis.ping();
    proxy.forgetLines();
    const write = failed(redis.set('forgotten', '1'));
    expect(await client().ping()).to.equal('PONG');
    expect(await direct.get('forgotten')).to.equal(null);
    proxy.heal();
    expect(await write).to.equal(true);
    expect(await direct.get('forgotten')).to.equal(null);
  });

  it('loses answers to what arrived, and breaks that line in the end', async () => {
    const redis = client();
    await redis.ping();
    const seen = proxy.loseAnswersFrom((bytes) => bytes.includes('arrives'));
    const write = failed(redis.set('arrives', '1'));
    await seen;
    while ((await direct.get('arrives')) === null);
    proxy.heal();
    expect(await write).to.equal(true);
    await client().ping();
  });

  it('holds a message back at the very point that was named', async () => {
    const redis = client();
    const held = proxy.holdBefore((bytes) => bytes.includes('second'));
    await redis.set('first', '1');
    const write = failed(redis.set('second', '1'));
    await held;
    expect(await direct.mget('first', 'second')).to.deep.equal(['1', null]);
    redis.disconnect();
    expect(await write).to.equal(true);
  });

  it('silences single lines at their points: before a message arrives, or before its answer does; others go on', async () => {
    const [before, after, other] = [client(), client(), client()];
    await Promise.all([before, after, other].map((each) => each.ping()));
    const points = [
      proxy.silenceLineAt((bytes) => bytes.includes('unsaid')),
      proxy.silenceLineAt((bytes) => bytes.includes('said'), { answered: true }),
    ];
    const writes = [failed(before.set('unsaid', '1')), failed(after.set('said', '1'))];
    await Promise.all(points);
    await other.set('third', '1');
    await eventually(async () => expect(await direct.mget('unsaid', 'said', 'third')).to.deep.equal([null, '1', '1']));
    expect(await Promise.race([...writes, other.get('third')])).to.equal('1');
    for (const each of [before, after]) each.disconnect();
    expect(await Promise.all(writes)).to.deep.equal([true, true]);
  });

  it('resets lines, old and new, until it is healed', async () => {
    const redis = client();
    await redis.ping();
    const waiting = failed(redis.call('BLPOP', 'nothing', '0') as Promise<unknown>);
    proxy.reset();
    expect(await waiting).to.equal(true);
    expect(await failed(client().ping())).to.equal(true);
    proxy.heal();
    expect(await client().ping()).to.equal('PONG');
  });

  it('cuts a line after so many bytes', async () => {
    await direct.set('large', 'x'.repeat(100_000));
    proxy.cutAfter(50_000);
    expect(await failed(client().get('large'))).to.equal(true);
    proxy.heal();
    expect(await client().get('large')).to.have.length(100_000);
  });

  it('delays', async () => {
    const redis = client();
    await redis.ping();
    proxy.delay(100);
    const startedAt = performance.now();
    await redis.ping();
    expect(performance.now() - startedAt).to.be.at.least(195);
  });

  it('breaks a line whose engine is gone', async () => {
    const gone = await new Promise<Server>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => resolve(server));
    });
    const { port } = gone.address() as { port: number };
    await new Promise((resolve) => gone.close(resolve));
    const toNobody = await startFaultProxy({ to: port });
    const redis = new Redis(toNobody.port, '127.0.0.1', { maxRetriesPerRequest: 0, retryStrategy: () => null });
    redis.on('error', () => undefined);
    expect(await failed(redis.ping())).to.equal(true);
    redis.disconnect();
    await toNobody.close();
  });
});
