import type { Page, TokenView, UserView } from '@tollgate/contracts';
import { freshId, usageEvent } from '@tollgate/testing';
import { openWallet, type Wallet } from '@tollgate/wallet';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';

describe('a quota that a form sends back', () => {
  let tollgate: TestConsole;
  let redis: Redis;
  let wallet: Wallet;
  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    redis = new Redis(tollgate.redisUrl);
    wallet = openWallet({ redis });
  });
  after(async () => {
    await redis.del(await redis.keys('{u*')); // other tests have other users of these numbers
    redis.disconnect();
    await tollgate.close();
  });

  const userWith = async (quota: number) => {
    const user = await tollgate.newUser();
    await tollgate.root.ok('PUT', '/api/user/', { id: user.id, add_quota: quota });
    return user;
  };
  const load = (id: number) => tollgate.root.ok<UserView>('GET', `/api/user/${id}`);
  const save = (body: object) => tollgate.root.ok('PUT', '/api/user/', body);

  /** A call that is answered and reported, and not charged yet. */
  async function spend(userId: number, quota: number, tokenId = 0): Promise<void> {
    const owner = { userId, tokenId, tokenUnlimited: tokenId === 0, requestId: `call-${freshId()}` };
    await wallet.reserve({ ...owner, amount: quota, deadlineMs: Date.now() + 60_000 });
    await wallet.report(owner, usageEvent({ id: owner.requestId, userId, tokenId, quota }));
  }

  it('gives nothing back of what was spent since, whether the row comes back whole or without what was shown', async () => {
    for (const forgets of [false, true]) {
      const user = await userWith(10_000);
      const { quota_shown, version, ...row } = await load(user.id);
      await spend(user.id, 2_000);
      await save({ ...row, display_name: 'edited', ...(!forgets && { quota_shown, version }) });
      expect(await load(user.id)).to.include({ display_name: 'edited', quota: 8_000 });
    }
  });

  it('changes it by what the editor changed; calls that are not charged yet are part of what he sees', async () => {
    const user = await userWith(10_000);
    await spend(user.id, 2_000);
    const shown = await load(user.id);
    expect(shown.quota).to.equal(8_000);
    await save({ id: user.id, quota: 10_030 });
    expect((await load(user.id)).quota).to.equal(10_030);
    await spend(user.id, 30);
    await save({ id: user.id, quota: 10_100, quota_shown: 10_030 });
    expect((await load(user.id)).quota).to.equal(10_070);
    expect((await wallet.balance(user.id)).balance, 'when all is charged').to.equal(10_070 + 2_030);
  });

  it('counts once, however often it is sent, also at the same time', async () => {
    const user = await userWith(1_000);
    const { quota_shown } = await load(user.id);
    await Promise.all(Array.from({ length: 5 }, () => save({ id: user.id, quota: 1_500, quota_shown })));
    await save({ id: user.id, quota: 1_500 });
    expect((await load(user.id)).quota).to.equal(1_500);
    await save({ id: user.id, quota: 1_000 });
    expect((await load(user.id)).quota).to.equal(1_000);
  });

  it('of an older form in another tab is measured by what that one showed', async () => {
    const user = await userWith(1_000);
    const older = await load(user.id);
    await spend(user.id, 300);
    await load(user.id);
    await save({ ...older, group: 'vip' });
    expect(await load(user.id)).to.include({ quota: 700, group: 'vip' });
  });

  it('never takes more than there is, and is what it says where nothing was shown', async () => {
    const user = await userWith(0);
    const admin = await tollgate.newUser({ admin: true });
    await admin.ok('PUT', '/api/user/', { id: user.id, quota: 600 });
    expect((await load(user.id)).quota).to.equal(600);
    await spend(user.id, 200);
    await save({ id: user.id, quota: 0 });
    expect((await load(user.id)).quota).to.equal(0);
  });

  it('is no less safe for a token', async () => {
    const user: Visitor = await userWith(10_000);
    const token = await user.ok<TokenView>('POST', '/api/token/', { name: 'spent', remain_quota: 500 });
    const [row] = (await user.ok<Page<TokenView>>('GET', '/api/token/')).items;
    await spend(user.id, 200, token.id);
    expect(await user.ok('GET', `/api/token/${token.id}`)).to.include({ remain_quota: 300 });
    expect(await user.ok('PUT', '/api/token/', { ...row, name: 'renamed' })).to.include({ name: 'renamed', remain_quota: 300 });
    const { quota_shown: _, ...forgetful } = await user.ok<TokenView>('GET', `/api/token/${token.id}`);
    await spend(user.id, 100, token.id);
    expect(await user.ok('PUT', '/api/token/', { ...forgetful, remain_quota: 400 })).to.include({ remain_quota: 300 });
    expect(await user.ok('PUT', '/api/token/', { id: token.id, add_quota: -1000 })).to.include({ remain_quota: 0 });
  });
});
