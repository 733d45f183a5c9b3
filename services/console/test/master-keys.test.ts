import { randomBytes } from 'node:crypto';
import type { ChannelView, Page, RedemptionView, SystemView, TokenView } from '@tollgate/contracts';
import { Channel, type ChannelKeySecret, configureSealing, masterKeyId, OptionModel, Redemption, Token, User } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { TOTP } from 'otpauth';
import { openBoard } from '../src/jobs/board.ts';
import { resealSecrets } from '../src/jobs/reseal-secrets.ts';
import { masterKey, startConsole, type TestConsole, testPassword, type Visitor } from './support/console.ts';

describe('A new master key', () => {
  const newKey = randomBytes(32).toString('hex');
  const newId = masterKeyId(Buffer.from(newKey, 'hex'));
  let tollgate: TestConsole;
  let user: Visitor & { username: string };
  let recovery: string[] = [];
  let totpSecret = '';
  let code = '';

  before(async () => {
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0' });
    user = await tollgate.newUser();
    const setting = JSON.stringify({ proxy: 'http://name:pass@proxy.example:3128' });
    const channel = { name: 'c', type: 1, key: 'sk-upstream\nsk-second', models: 'm', setting };
    await tollgate.root.ok('POST', '/api/channel/', { mode: 'multi_to_single', channel });
    await user.ok('POST', '/api/token/', { name: 'mine', unlimited_quota: true });
    await tollgate.root.ok('PUT', '/api/option/', { key: 'SMTPToken', value: 'mail-password' });
    const hook = { notify_type: 'webhook', quota_warning_threshold: 1, webhook_url: 'https://example.com', webhook_secret: 'hook-secret' };
    await user.ok('PUT', '/api/user/setting', hook);
    [code = ''] = await tollgate.root.ok<string[]>('POST', '/api/redemption/', { name: 'gift', quota: 7, count: 1 });
    totpSecret = (await user.ok<{ secret: string }>('POST', '/api/user/2fa/setup', { password: testPassword })).secret;
    const typed = new TOTP({ secret: totpSecret }).generate();
    recovery = (await user.ok<{ backup_codes: string[] }>('POST', '/api/user/2fa/enable', { code: typed })).backup_codes;
  });
  after(async () => {
    await tollgate.close();
    configureSealing(Buffer.from(masterKey, 'hex')); // the other suites of this process
  });

  const state = async () => (await tollgate.root.ok<SystemView>('GET', '/api/system')).sealing;

  /** Every sealed text that is stored. */
  async function stored(): Promise<string[]> {
    const [channels, tokens, codes, options, users] = [
      await Channel.find().select('+keySealed +keySecrets setting').lean(),
      await Token.find().select('+keySealed').lean(),
      await Redemption.find().lean(),
      await OptionModel.find({ _id: 'SMTPToken' }).lean(),
      await User.find().select('+totp setting').lean(),
    ];
    const texts = [
      ...[...channels, ...tokens, ...codes].map(({ keySealed }) => keySealed),
      ...channels.flatMap(({ keySecrets }) => (keySecrets ?? []).map(({ sealed }: ChannelKeySecret) => sealed)),
      ...channels.map(({ setting }) => (setting ? (JSON.parse(setting) as { proxy: string }).proxy : '')),
      ...options.map(({ value }) => value),
      ...users.map(({ totp }) => totp?.secret),
      ...users.map(({ setting }) => (setting ? (JSON.parse(setting) as { webhook_secret?: string }).webhook_secret : '')),
    ];
    return texts.filter((text) => typeof text === 'string' && text !== '') as string[];
  }

  it('has nothing to seal anew while it is the only one', async () => {
    expect((await tollgate.root.send('POST', '/api/system/reseal')).message).to.contain('MASTER_KEYS_ALSO');
    expect(await state()).to.include({ key_id: masterKeyId(Buffer.from(masterKey, 'hex')), started_time: 0 });
    for (const text of await stored()) expect(text).to.match(/^v1\./);
  });

  it('seals what is new, while sessions, keys and codes of the older one go on', async () => {
    await tollgate.restart({ MASTER_KEY: newKey, MASTER_KEYS_ALSO: masterKey });
    expect(await state()).to.deep.include({
      key_id: newId,
      sealed_key_id: '',
      other_key_ids: [masterKeyId(Buffer.from(masterKey, 'hex'))],
    });
    const { items } = await user.ok<Page<TokenView>>('GET', '/api/token/?p=1');
    expect(items[0]?.key).to.have.lengthOf(48);
    const found = await tollgate.root.ok<Page<ChannelView>>('GET', '/api/channel/search?keyword=sk-upstream');
    expect(found.items.map(({ name }) => name)).to.deep.equal(['c']);
    expect((await tollgate.root.ok<Page<RedemptionView>>('GET', `/api/redemption/search?keyword=${code}`)).items).to.have.lengthOf(1);
    await user.ok('POST', '/api/token/', { name: 'newer', unlimited_quota: true });
    expect((await stored()).filter((text) => text.startsWith(`v2.${newId}.`))).to.have.lengthOf(1);
  });

  it('seals all that is stored by a job that is refused while it runs and says how far it is', async () => {
    const redis = new Redis(tollgate.redisUrl);
    const board = openBoard(redis);
    await Channel.updateOne({}, { $set: { other: '' } });
    const broken = `v1.${Buffer.alloc(60, 1).toString('base64')}`;
    await Redemption.create({ id: 999_999, userId: 1, name: 'broken', quota: 1, keyDigest: 'x', keySealed: broken, createdAt: new Date() });

    await redis.set('jobs:{console}:work:de:reseal-secrets', 'somebody’s', 'PX', 60_000); // BullMQ's mark of one that waits or runs
    expect(await board.start(resealSecrets, {})).to.equal(false);
    expect((await tollgate.root.send('POST', '/api/system/reseal')).message).to.equal('This job is already running or waiting');
    await redis.del('jobs:{console}:work:de:reseal-secrets');

    await tollgate.root.ok('POST', '/api/system/reseal');
    await eventually(async () => expect((await state()).ended_time).to.be.greaterThan(0), { timeoutMs: 20_000 });
    const { total, looked, changed, unreadable, sealed_key_id: sealedWith } = await state();
    expect(sealedWith).to.equal(newId);
    expect(looked).to.equal(total);
    expect(unreadable).to.equal(1);
    expect(changed).to.be.at.least(5);
    const texts = (await stored()).filter((text) => text !== broken);
    expect(texts.length).to.be.at.least(7);
    for (const text of texts) expect(text.startsWith(`v2.${newId}.`), text).to.equal(true);
    await board.close();
    redis.disconnect();
  });

  it('opens all of it alone from then on; only recovery codes ended with the older one', async () => {
    expect((await login(recovery[0] ?? '')).success, 'while both are set').to.equal(true);
    const unreadable = await tollgate.root.send('GET', '/api/redemption/search?keyword=broken');
    expect(unreadable.message).to.contain('encrypted with a master key that is not set').and.to.contain('MASTER_KEYS_ALSO');
    await Redemption.deleteOne({ id: 999_999 });
    await tollgate.restart({ MASTER_KEY: newKey, MASTER_KEYS_ALSO: '' });
    const root = await tollgate.signIn('root', 'root for tests');
    const found = await root.ok<Page<ChannelView>>('GET', '/api/channel/search?keyword=sk-upstream');
    expect(found.items.map(({ name }) => name)).to.deep.equal(['c']);
    const [row] = (await root.ok<Page<RedemptionView>>('GET', `/api/redemption/search?keyword=${code}`)).items;
    expect(row?.key).to.equal(code);
    expect((await login(recovery[1] ?? '')).success).to.equal(false);
    const inAMinute = new TOTP({ secret: totpSecret }).generate({ timestamp: Date.now() + 30_000 });
    expect((await login(inAMinute)).success).to.equal(true);
  });

  it('that opens nothing of what is stored is refused at the start', async () => {
    const refusal = await tollgate.restart({ MASTER_KEY: randomBytes(32).toString('hex') }).then(
      () => 'it started',
      ({ message }: Error) => message,
    );
    expect(refusal).to.contain('opens nothing of what is stored').and.to.contain('MASTER_KEYS_ALSO');
    await tollgate.restart({ MASTER_KEY: newKey });
  });

  async function login(secondStep: string) {
    const first = await tollgate.anonymous.send<{ ticket?: string }>('POST', '/api/user/login', {
      username: user.username,
      password: testPassword,
    });
    return tollgate.anonymous.send('POST', '/api/user/login/2fa', { code: secondStep }, { cookie: cookiesOf(first.headers) });
  }
});

function cookiesOf(headers: Headers): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
