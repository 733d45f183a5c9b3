import { startRedis, usageEvent, withMoneyStores } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { connectRedis, holdKey, indexKey, openWallet, refuseUnfitRedis, tokenKey, walletKey } from '../src/index.ts';

const inAMinute = () => Date.now() + 60_000;

describe('a hold', () => {
  const stores = withMoneyStores();

  it('lets 10 of 200 parallel calls on a balance for 10', async () => {
    const owner = await stores.userWith({ balance: 1_000 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        stores.wallet.reserve({ ...owner, requestId: `parallel-${i}`, amount: 100, deadlineMs: inAMinute() }),
      ),
    );
    expect(answers.filter(({ ok }) => ok)).to.have.length(10);
    expect(answers.find(({ ok }) => !ok)).to.deep.equal({ ok: false, reason: 'user', available: 0 });
    expect(await stores.projected(owner.userId)).to.include({ balance: 1_000, held: 1_000 });
  });

  it('lets 10 of 200 parallel calls on a token for 10, and takes nothing from the user for the others', async () => {
    const owner = await stores.userWith({ balance: 1_000_000, remain: 1_000 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        stores.wallet.reserve({ ...owner, requestId: `parallel-${i}`, amount: 100, deadlineMs: inAMinute() }),
      ),
    );
    expect(answers.filter(({ ok }) => ok)).to.have.length(10);
    expect(answers.find(({ ok }) => !ok)).to.deep.equal({ ok: false, reason: 'token', available: 0 });
    expect((await stores.projected(owner.userId)).held).to.equal(1_000);
    expect(await stores.projectedToken(owner)).to.include({ remain: 1_000, held: 1_000 });
  });

  it('takes what is there when that is enough for the minimum', async () => {
    const owner = await stores.userWith({ balance: 70, remain: 60 });
    expect(await stores.wallet.reserve({ ...owner, amount: 100, minimum: 61, deadlineMs: inAMinute() })).to.deep.equal({
      ok: false,
      reason: 'token',
      available: 60,
    });
    expect(await stores.wallet.reserve({ ...owner, amount: 100, minimum: 20, deadlineMs: inAMinute() })).to.deep.equal({
      ok: true,
      amount: 60,
    });
  });

  it('refuses the user before the token', async () => {
    const owner = await stores.userWith({ balance: 5, remain: 5 });
    expect(await stores.wallet.reserve({ ...owner, amount: 100, deadlineMs: inAMinute() })).to.deep.equal({
      ok: false,
      reason: 'user',
      available: 5,
    });
  });

  it('costs nothing to make for a free call, also with an empty wallet', async () => {
    const owner = await stores.userWith({ balance: 0 });
    expect(await stores.wallet.reserve({ ...owner, amount: 0, deadlineMs: inAMinute() })).to.deep.equal({ ok: true, amount: 0 });
  });

  it('is made once, however often it is asked for', async () => {
    const owner = await stores.userWith({ balance: 100 });
    const ask = { ...owner, amount: 60, deadlineMs: inAMinute() };
    const answers = await Promise.all([
      stores.wallet.reserve(ask),
      stores.wallet.reserve(ask),
      stores.wallet.reserve({ ...ask, amount: 10 }),
    ]);
    expect(answers).to.deep.equal(Array(3).fill({ ok: true, amount: 60 }));
    expect((await stores.projected(owner.userId)).held).to.equal(60);
  });

  it('gives everything back when the call failed, once', async () => {
    const owner = await stores.userWith({ balance: 100, remain: 100 });
    await stores.wallet.reserve({ ...owner, amount: 60, deadlineMs: inAMinute() });
    const other = { ...owner, requestId: 'other' };
    await stores.wallet.reserve({ ...other, amount: 30, deadlineMs: inAMinute() });
    await Promise.all([stores.wallet.release(owner), stores.wallet.release(owner)]);
    await stores.wallet.release(owner);
    expect((await stores.projected(owner.userId)).held).to.equal(30);
    expect((await stores.projectedToken(owner)).held).to.equal(30);
  });

  it('frees at once what the call did not use', async () => {
    const owner = await stores.userWith({ balance: 100, remain: 100 });
    await stores.wallet.reserve({ ...owner, amount: 90, deadlineMs: inAMinute() });
    const event = usageEvent({ ...owner, id: owner.requestId, quota: 20 });
    expect(await stores.wallet.report(owner, event)).to.deep.equal({ uncollected: 0, accepted: true, json: JSON.stringify(event) });
    expect((await stores.projected(owner.userId)).held).to.equal(20);
    expect((await stores.projectedToken(owner)).held).to.equal(20);
  });

  it('reports beyond what it held as far as the balance goes, and says what is uncollected', async () => {
    const owner = await stores.userWith({ balance: 100 });
    await stores.wallet.reserve({ ...owner, amount: 40, deadlineMs: inAMinute() });
    const report = await stores.wallet.report(owner, usageEvent({ quota: 130 }));
    expect(report).to.include({ uncollected: 30, accepted: true });
    expect(JSON.parse(report.json)).to.include({ quota: 130, uncollected: 30 });
    expect((await stores.projected(owner.userId)).held).to.equal(100);
  });

  it('reports at most what a limited token has left', async () => {
    const owner = await stores.userWith({ balance: 1_000, remain: 50 });
    await stores.wallet.reserve({ ...owner, amount: 40, deadlineMs: inAMinute() });
    expect(await stores.wallet.report(owner, usageEvent({ quota: 130 }))).to.include({ uncollected: 80 });
    expect((await stores.projected(owner.userId)).held).to.equal(50);
    expect((await stores.projectedToken(owner)).held).to.equal(50);
  });

  it('is reported once: the same report changes nothing, another is turned away', async () => {
    const owner = await stores.userWith({ balance: 100 });
    await stores.wallet.reserve({ ...owner, amount: 40, deadlineMs: inAMinute() });
    const event = usageEvent({ quota: 30 });
    expect(await stores.wallet.report(owner, event)).to.include({ uncollected: 0, accepted: true });
    expect(await stores.wallet.report(owner, event)).to.include({ uncollected: 0, accepted: true });
    expect(await stores.wallet.report(owner, { ...event, quota: 90 })).to.include({ uncollected: 0, accepted: false });
    await stores.wallet.release(owner);
    expect((await stores.projected(owner.userId)).held).to.equal(30);
    expect(await stores.wallet.counts())
      .to.have.property('reported')
      .that.is.at.least(1);
  });

  it('is made as reported when Redis lost it', async () => {
    const owner = await stores.userWith({ balance: 100 });
    expect(await stores.wallet.report(owner, usageEvent({ quota: 30 }))).to.include({ uncollected: 0, accepted: true });
    expect(await stores.projected(owner.userId)).to.include({ balance: 100, held: 30 });
  });

  it('grows with its stream while that is affordable, and keeps its draft when it is not', async () => {
    const owner = await stores.userWith({ balance: 100, remain: 80 });
    await stores.wallet.reserve({ ...owner, amount: 40, deadlineMs: inAMinute() });
    const event = usageEvent({ quota: 70 });
    expect(await stores.wallet.progress(owner, { amount: 70, event, deadlineMs: inAMinute() })).to.deep.equal({ ok: true, amount: 70 });
    expect(await stores.wallet.progress(owner, { amount: 70, deadlineMs: inAMinute() })).to.deep.equal({ ok: true, amount: 70 });
    expect(await stores.wallet.progress(owner, { amount: 90, event: { ...event, quota: 80 }, deadlineMs: Date.now() - 1 })).to.deep.equal({
      ok: false,
      reason: 'token',
      available: 10,
    });
    const expiry = await stores.wallet.expire(owner, Date.now());
    expect(expiry).to.deep.include({ state: 'reported', lost: true });
    expect(expiry)
      .to.have.property('event')
      .that.includes({ quota: 80, uncollected: 0, endReason: 'relay_lost', usageSource: 'estimated' });
    expect((await stores.projectedToken(owner)).held).to.equal(80);
  });

  it('is settled with what the database says, and never frees more than was held', async () => {
    const owner = await stores.userWith({ balance: 100, remain: 90 });
    await stores.wallet.reserve({ ...owner, amount: 40, deadlineMs: inAMinute() });
    await stores.wallet.report(owner, usageEvent({ quota: 30 }));
    const settlement = {
      userId: owner.userId,
      requestIds: [owner.requestId, 'unknown'],
      wallet: { balance: 70, version: 9 },
      tokens: [{ tokenId: owner.tokenId, remain: 60, version: 9 }, { tokenId: 77 }],
    };
    await stores.wallet.settle([settlement]);
    await stores.wallet.settle([settlement]);
    expect(await stores.projected(owner.userId)).to.deep.equal({ balance: 70, held: 0, reported: 0, version: 9 });
    expect(await stores.projectedToken(owner)).to.deep.equal({ remain: 60, held: 0, reported: 0, version: 9 });
    await stores.wallet.settle([{ ...settlement, wallet: { balance: 500, version: 8 }, tokens: [] }]);
    expect(await stores.projected(owner.userId)).to.include({ balance: 70 });
    expect(await stores.redis.zscore(indexKey(owner.userId), holdKey(owner.userId, owner.requestId))).to.equal(null);
  });

  it('is given back once, also where a settlement names it twice', async () => {
    const owner = await stores.userWith({ balance: 100 });
    for (const requestId of ['first', 'second']) {
      await stores.wallet.reserve({ ...owner, requestId, amount: 40, deadlineMs: inAMinute() });
      await stores.wallet.report({ ...owner, requestId }, usageEvent({ quota: 30 }));
    }
    await stores.wallet.settle([
      { userId: owner.userId, requestIds: ['first', 'first'], wallet: { balance: 70, version: 9 }, tokens: [{ tokenId: owner.tokenId }] },
    ]);
    expect(await stores.projected(owner.userId)).to.include({ balance: 70, held: 30, reported: 30 });
  });

  it('is ended by settlements of any size', async () => {
    const owner = await stores.userWith({ balance: 10_000 });
    const requestIds = Array.from({ length: 2_500 }, (_, i) => `call-${i}`);
    await Promise.all(requestIds.map((requestId) => stores.wallet.reserve({ ...owner, requestId, amount: 2, deadlineMs: inAMinute() })));
    await stores.wallet.settle([{ userId: owner.userId, requestIds, wallet: { balance: 5_000, version: 9 }, tokens: [] }]);
    expect(await stores.projected(owner.userId)).to.include({ balance: 5_000, held: 0 });
    expect(await stores.redis.exists(...requestIds.map((id) => holdKey(owner.userId, id)))).to.equal(0);
  });

  it('leaves no trace when it was refused', async () => {
    const owner = await stores.userWith({ balance: 1 });
    await stores.wallet.reserve({ ...owner, amount: 100, deadlineMs: inAMinute() });
    expect(await stores.redis.zscore(indexKey(owner.userId), holdKey(owner.userId, owner.requestId))).to.equal(null);
    expect(await stores.redis.keys(holdKey(owner.userId, '*'))).to.deep.equal([]);
  });

  it('stays where it is in the index when its reservation is repeated', async () => {
    const owner = await stores.userWith({ balance: 100 });
    const reservation = { ...owner, amount: 40, deadlineMs: inAMinute() };
    await stores.wallet.reserve(reservation);
    await stores.wallet.report(owner, usageEvent({ quota: 30 }));
    const score = await stores.redis.zscore(indexKey(owner.userId), holdKey(owner.userId, owner.requestId));
    await stores.wallet.reserve({ ...reservation, deadlineMs: inAMinute() + 60_000 });
    await stores.wallet.progress(owner, { deadlineMs: inAMinute() + 60_000 });
    expect(await stores.redis.zscore(indexKey(owner.userId), holdKey(owner.userId, owner.requestId))).to.equal(score);
  });

  it('costs one command to reserve, one to report and one to settle', async () => {
    const owner = await stores.userWith({ balance: 100, remain: 100 });
    const redis = stores.redis.duplicate({ enableAutoPipelining: false });
    const wallet = openWallet({ redis });
    const sent: string[] = [];
    const callOnce = async (requestId: string) => {
      await wallet.reserve({ ...owner, requestId, amount: 40, deadlineMs: inAMinute() });
      await wallet.report({ ...owner, requestId }, usageEvent({ quota: 1 }));
      await wallet.settle([
        { userId: owner.userId, requestIds: [requestId], wallet: { balance: 99, version: 9 }, tokens: [{ tokenId: owner.tokenId }] },
      ]);
    };
    await callOnce('first'); // loads the scripts and balances
    const send = redis.sendCommand.bind(redis);
    redis.sendCommand = (command, stream) => {
      sent.push(command.name);
      return send(command, stream);
    };
    await callOnce('second');
    expect(sent).to.deep.equal(['evalsha', 'evalsha', 'evalsha']);
    await redis.quit();
  });

  it('is made anew where somebody deleted it and left its entry', async () => {
    const owner = await stores.userWith({ balance: 100 });
    const reservation = { ...owner, amount: 40, deadlineMs: inAMinute() };
    await stores.wallet.reserve(reservation);
    await stores.redis.del(holdKey(owner.userId, owner.requestId));
    await stores.wallet.reserve({ ...reservation, amount: 50 });
    expect(await stores.redis.hget(holdKey(owner.userId, owner.requestId), 'amount')).to.equal('50');
  });

  it('is guarded by the balance of the database when Redis was emptied', async () => {
    const owner = await stores.userWith({ balance: 100 });
    await stores.wallet.reserve({ ...owner, amount: 100, deadlineMs: inAMinute() });
    await stores.redis.del(walletKey(owner.userId), holdKey(owner.userId, owner.requestId));
    expect(await stores.wallet.reserve({ ...owner, requestId: 'next', amount: 101, deadlineMs: inAMinute() })).to.include({
      available: 100,
    });
    await stores.wallet.release(owner);
    expect(await stores.wallet.reserve({ ...owner, requestId: 'next', amount: 100, deadlineMs: inAMinute() })).to.include({ ok: true });
  });
});

describe('a Redis at its memory limit', () => {
  const stores = withMoneyStores();

  it('takes no new hold, but lets every hold end', async () => {
    const server = await startRedis();
    const redis = new Redis(server.url);
    const wallet = openWallet({ redis });
    const owner = await stores.userWith({ balance: 1_000, remain: 1_000 });
    const call = (requestId: string) => ({ ...owner, requestId });
    for (const id of ['failed', 'answered', 'forgotten'])
      await wallet.reserve({ ...call(id), amount: 100, deadlineMs: Date.now() + 1_000 });
    await wallet.report(call('answered'), usageEvent({ quota: 40 }));
    await redis.config('SET', 'maxmemory', '1mb');
    const refusal = wallet.reserve({ ...call('next'), amount: 100, deadlineMs: Date.now() + 60_000 });
    expect(await refusal.catch((error: Error) => error.message)).to.include('OOM');
    await wallet.release(call('failed'));
    const settlement = {
      userId: owner.userId,
      requestIds: ['answered'],
      wallet: { balance: 960, version: 9 },
      tokens: [{ tokenId: owner.tokenId }],
    };
    await wallet.settle([settlement]);
    await wallet.settle([settlement]);
    expect(await wallet.expire(call('forgotten'), Date.now() + 2_000)).to.deep.equal({ state: 'released' });
    expect(await redis.hgetall(walletKey(owner.userId))).to.deep.equal({ balance: '960', held: '0', reported: '0', version: '9' });
    expect(await redis.hget(tokenKey(owner.userId, owner.tokenId), 'held')).to.equal('0');
    redis.disconnect();
    await server.stop();
  });
});

describe('a Redis that lets nobody in', () => {
  it('is named by its setting, with its own words and without the password', async () => {
    const server = await startRedis({ args: ['--requirepass', 'needed'] });
    for (const [url, words] of [
      [`redis://:hunter2@127.0.0.1:${server.port}`, 'WRONGPASS'],
      ['redis://:hunter2@127.0.0.1:9', 'ECONNREFUSED'],
    ] as const) {
      const redis = new Redis(url, { lazyConnect: true });
      const refusal = await connectRedis(redis).catch((error: Error) => error.message);
      expect(refusal).to.contain('REDIS_URL').and.to.contain(words).and.to.not.contain('hunter2');
      redis.disconnect();
    }
    await server.stop();
  });
});

describe('a Redis that may forget', () => {
  it('is refused, and the reason says what to set', async () => {
    const server = await startRedis({ args: ['--maxmemory', '50mb', '--maxmemory-policy', 'allkeys-lru'] });
    const redis = new Redis(server.url);
    const refusal = await refuseUnfitRedis(redis).catch((error: Error) => error.message);
    expect(refusal).to.equal('Redis has maxmemory-policy allkeys-lru and may forget money; set it to noeviction');
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    await refuseUnfitRedis(redis);
    redis.disconnect();
    await server.stop();
  });
});
