import { readFileSync } from 'node:fs';
import { freshId, withMoneyStores } from '@tollgate/testing';
import { expect } from 'chai';
import { holdKey, indexKey, tokenKey, walletKey } from '../src/index.ts';

interface Recorded {
  userId: number;
  tokenId: number;
  wallet: Record<string, string>;
  token: Record<string, string>;
  open: Record<string, string>;
  reported: Record<string, string>;
}

/** Redis state of a relay of the first release: a wallet of 100, a token of 90, 20 held by a running call (7 so far), 25 reported. */
const text = readFileSync(new URL('fixtures/release-1.json', import.meta.url), 'utf8');

describe('what a relay of the release before left in Redis', () => {
  const stores = withMoneyStores();

  /** The same state for a user of this test. */
  async function left() {
    const [userId, tokenId] = [freshId(), freshId()];
    const { userId: theirs, tokenId: theirToken } = JSON.parse(text) as Recorded;
    const recorded = JSON.parse(
      text.replaceAll(String(theirs), String(userId)).replaceAll(String(theirToken), String(tokenId)),
    ) as Recorded;
    const { redis } = stores;
    await redis.hset(walletKey(userId), recorded.wallet);
    await redis.hset(tokenKey(userId, tokenId), recorded.token);
    for (const [id, hold, score] of [
      ['open-one', recorded.open, Number(recorded.open.deadline)],
      ['answered-one', recorded.reported, 1e14 + Number(recorded.reported.at)],
    ] as const) {
      await redis.hset(holdKey(userId, id), hold);
      await redis.zadd(indexKey(userId), score, holdKey(userId, id));
    }
    return { userId, tokenId };
  }

  it('is handed out, reported and settled by this one: nothing stays held', async () => {
    const { userId, tokenId } = await left();
    const answered = await stores.wallet.expire({ userId, requestId: 'answered-one' }, Date.now());
    expect(answered).to.deep.include({ state: 'reported', lost: false });
    const lost = await stores.wallet.expire({ userId, requestId: 'open-one' }, Number.MAX_SAFE_INTEGER);
    expect(lost).to.deep.include({ state: 'reported', lost: true });
    if (answered.state !== 'reported' || lost.state !== 'reported') throw new Error('both were answered');
    expect([answered.event.quota, lost.event.quota]).to.deep.equal([25, 7]);
    expect(await stores.projected(userId)).to.include({ balance: 100, held: 32 });
    await stores.wallet.settle([
      {
        userId,
        requestIds: ['answered-one', 'open-one'],
        wallet: { balance: 68, version: 3 },
        tokens: [{ tokenId, remain: 58, version: 2 }],
      },
    ]);
    expect(await stores.projected(userId)).to.include({ balance: 68, held: 0, reported: 0 });
    expect(await stores.redis.hgetall(tokenKey(userId, tokenId))).to.include({ remain: '58', held: '0' });
  });

  it('is ended by this one as by the one that began it, and new calls are held beside it', async () => {
    const { userId, tokenId } = await left();
    const owner = { userId, tokenId, tokenUnlimited: false };
    const next = await stores.wallet.reserve({ ...owner, requestId: 'next', amount: 60, minimum: 10, deadlineMs: Date.now() + 60_000 });
    expect(next).to.include({ ok: true });
    await stores.wallet.release({ ...owner, requestId: 'open-one' });
    await stores.wallet.release({ ...owner, requestId: 'next' });
    expect(await stores.projected(userId)).to.include({ balance: 100, held: 25 });
  });
});
