import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ImportView, TokenView } from '@tollgate/contracts';
import {
  Budget,
  Channel,
  type ChannelKeyRow,
  type ChannelKeySecret,
  OptionModel,
  Order,
  Passkey,
  Redemption,
  rows,
  Token,
  User,
  unseal,
} from '@tollgate/db';
import { bareEnvironment, engines, eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { sealSecret, unsealSecret } from '../src/auth/second-factor.ts';
import { masterKey, startConsole, type TestConsole, testPassword } from './support/console.ts';

const run = promisify(execFile);
const program = (name: string) => join(import.meta.dirname, '../src', `${name}.ts`);
const passphrase = 'correct horse battery staple';

describe('an export of Tollgate', function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-export-'));
  const file = join(folder, 'tollgate.db');
  const otherKey = randomBytes(32).toString('hex');
  let tollgate: TestConsole;
  let env: NodeJS.ProcessEnv;

  async function start(key: string): Promise<void> {
    const uri = (await engines()).mongodbUri();
    tollgate = await startConsole({ MONGODB_URI: uri, MASTER_KEY: key });
    env = { ...bareEnvironment(), MONGODB_URI: uri, REDIS_URL: tollgate.redisUrl, MASTER_KEY: key, TOLLGATE_PASSPHRASE: passphrase };
  }

  const ran = async (name: string, args: string[], more: NodeJS.ProcessEnv = {}) =>
    run(process.execPath, ['--disable-warning=ExperimentalWarning', program(name), ...args], { env: { ...env, ...more } }).then(
      ({ stdout }) => stdout,
      ({ stderr }: { stderr: string }) => stderr,
    );

  /** What stands in the database, with its secrets opened. */
  async function whole() {
    const users = await User.find({ id: { $gt: 1 } })
      .select('+passwordHash +accessTokenHash +formerProofs +totp -_id -__v')
      .sort({ id: 1 })
      .lean();
    const tokens = await Token.find().select('+keySealed -_id').sort({ id: 1 }).lean();
    const channels = await Channel.find().select('+keySealed +keySecrets -_id -createdAt').sort({ id: 1 }).lean();
    const codes = await Redemption.find().select('-_id').sort({ id: 1 }).lean();
    const wallets = await rows
      .wallets()
      .find({ _id: { $gt: 1 } }, { sort: { _id: 1 } })
      .toArray();
    const tokenWallets = await rows
      .tokenWallets()
      .find({}, { sort: { _id: 1 } })
      .toArray();
    const option = await OptionModel.findById('SMTPToken').lean();

    return JSON.parse(
      JSON.stringify({
        users: users.map(({ totp, setting, owed: ___, version: _, createdAt: __, ...rest }) => ({
          ...rest,
          totp: totp ? unsealSecret(rest.id, totp.secret) : '',
          webhook: setting ? unseal(JSON.parse(setting).webhook_secret, `user:${rest.id}:webhook_secret`) : '',
        })),
        tokens: tokens.map(({ keySealed, createdAt: _, version: __, ...rest }) => ({
          ...rest,
          key: unseal(keySealed, `token:${rest.id}:key`),
        })),
        channels: channels.map(({ keySealed, keySecrets, keys, version: _, changes: __, setting, ...rest }) => ({
          ...rest,
          keys: keys?.map(({ id, name, status, tail }: ChannelKeyRow) => [id, name, status, tail]),
          secrets: keySecrets?.map(({ sealed }: ChannelKeySecret) => unseal(sealed, `channel:${rest.id}:key`)),
          key: unseal(keySealed, `channel:${rest.id}:key`),
          proxy: unseal(JSON.parse(setting).proxy, 'channel proxy'),
        })),
        codes: codes.map(({ keySealed, keyDigest: _, createdAt: __, version: ___, ...rest }) => ({
          ...rest,
          key: unseal(keySealed, `redemption:${rest.id}:key`),
        })),
        orders: await Order.find().select('-_id').lean(),
        passkeys: await Passkey.find().select('-_id').lean(),
        budgets: await Budget.find().select('-_id -createdAt').sort({ id: 1 }).lean(),
        wallets: wallets.map(({ _id, balance }) => ({ _id, balance })),
        tokenWallets: tokenWallets.map(({ _id, userId, remain }) => ({ _id, userId, remain })),
        option: unseal(option?.value ?? '', 'option:SMTPToken'),
      }),
    );
  }

  afterEach(() => tollgate.close());
  after(() => rmSync(folder, { recursive: true }));

  it('holds everything, and another installation with another master key takes it over whole', async () => {
    await start(masterKey);
    const ada = await tollgate.newUser();
    const { id } = (await User.findOne({ username: ada.username }).lean()) ?? { id: 0 };
    await User.updateOne(
      { id },
      {
        $set: {
          oidcId: 'https://issuer.example.com 7',
          accessTokenHash: 'f'.repeat(64),
          formerProofs: ['p'],
          totp: { secret: sealSecret(id, 'JBSWY3DPEHPK3PXP'), lastStep: 0, recovery: [], since: new Date() },
        },
      },
    );
    const token = await ada.ok<TokenView>('POST', '/api/token/', {
      name: 'limited',
      remain_quota: 521,
      expired_time: 1_995_706_525,
      model_limits_enabled: true,
      model_limits: 'gpt-4o',
      allow_ips: '10.0.0.0/8',
      deny_ips: '10.1.0.0/16',
      requests_per_minute: 7,
    });
    await ada.ok('PUT', '/api/user/setting', {
      notify_type: 'webhook',
      quota_warning_threshold: 5,
      webhook_url: 'https://example.com/x',
      webhook_secret: 'hook secret',
    });
    await ada.ok('POST', '/api/budget/', { name: 'Monthly', subject: 'token', subject_id: token.id, amount: 500, window: 'month' });
    await tollgate.root.ok('POST', '/api/budget/', { name: 'Group', subject: 'group', subject_id: 'default', amount: 9, window: '5h' });
    const [channel] = await tollgate.root.ok<{ id: number }[]>('POST', '/api/channel/', {
      mode: 'multi_to_single',
      multi_key_mode: 'fill',
      type: 1,
      name: 'proxied',
      key: 'sk-upstream-0123456789\nsk-second',
      models: 'gpt-4o',
      group: 'default',
      setting: '{"proxy":"http://user:proxy-secret@proxy.example.com:8080"}',
      max_input_tokens: 1000,
      concurrent: 4,
    });
    await tollgate.root.ok('PUT', `/api/channel/${channel?.id}/keys`, { ids: [2], set: { status: 2, name: 'spare' } });
    const [code = ''] = await tollgate.root.ok<string[]>('POST', '/api/redemption/', { name: 'gift', quota: 100, count: 1 });
    await tollgate.root.ok('PUT', '/api/option/', { key: 'SMTPToken', value: 'mail secret' });
    const at = new Date(1_795_706_525_000);
    await Order.create({
      ...{
        tradeNo: 'T1',
        userId: id,
        username: ada.username,
        amount: 10,
        quota: 5_000_000,
        cents: 7300,
        currency: 'CNY',
        method: 'alipay',
        status: 'refunded',
      },
      ...{ createdAt: at, paidAt: at, completedAt: at, paymentId: 'p1', refunds: [{ id: 'r1', cents: 7300, taken: 5_000_000 }] },
    });
    await Passkey.create({ id: 'credential', userId: id, name: 'phone', publicKey: 'k', counter: 3, transports: ['usb'], createdAt: at });
    const before = await whole();

    expect(await ran('export', ['--to', file], { TOLLGATE_PASSPHRASE: 'short' })).to.contain('at least 12 characters');
    expect(await ran('export', ['--to', file])).to.match(/users +2\n/);
    expect(await ran('export', ['--to', file])).to.contain('EEXIST');
    const owner = { cookie: tollgate.root.cookie ?? '', 'new-api-user': '1', 'content-type': 'application/json' };
    const download = await fetch(`${tollgate.origin}/api/export`, { method: 'POST', headers: owner, body: JSON.stringify({ passphrase }) });
    expect(download.headers.get('content-disposition')).to.contain('tollgate-');
    const downloaded = Buffer.from(await download.arrayBuffer());
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const bytes = readFileSync(file).toString('latin1');
    for (const secret of [token.key, 'sk-upstream', 'proxy-secret', 'mail secret', 'hook secret', 'JBSWY3DPEHPK3PXP', code, '$argon2id'])
      expect(bytes.includes(secret), secret).to.equal(false);
    await tollgate.close();

    await start(otherKey);
    expect(await ran('import', ['--from', file], { TOLLGATE_PASSPHRASE: '' })).to.contain('its passphrase is needed');
    expect(await ran('import', ['--from', file], { TOLLGATE_PASSPHRASE: 'another passphrase' })).to.contain('not the passphrase');
    const dry = await ran('import', ['--from', file]);
    expect(dry).to.contain('Import from tollgate').and.contain('0  difference').and.contain('dry run');
    const report = await ran('import', ['--from', file, '--apply']);
    expect(report).to.contain('Done.');
    expect(await whole()).to.deep.equal(before);
    expect(await ran('import', ['--from', file, '--apply'])).to.match(/user +0 +2\n/);
    expect((await whole()).wallets).to.deep.equal(before.wallets);
    expect(await tollgate.anonymous.send('POST', '/api/user/login', { username: ada.username, password: testPassword })).to.deep.include({
      data: { require_2fa: true },
    });
    const root = { cookie: tollgate.root.cookie ?? '', 'new-api-user': '1' };
    const sent = async (body: Uint8Array<ArrayBuffer> | string) => {
      const headers = { ...root, 'content-type': 'application/octet-stream' };
      const answer = await fetch(`${tollgate.origin}/api/import/file`, { method: 'POST', headers, body });
      return (await answer.json()) as { success: boolean; message: string; data: { from: string } };
    };
    expect((await sent('no database')).message).to.contain('no SQLite database');
    const { from } = (await sent(new Uint8Array(downloaded))).data;
    await tollgate.root.ok('POST', '/api/import', { from, secret: passphrase });
    const { report: checked } = await eventually(async () => {
      const view = await tollgate.root.ok<ImportView>('GET', '/api/import');
      expect(view.state).to.equal('done');
      return view;
    });
    expect(checked).to.match(/user +0 +2\n/);

    const undone = await ran('import', ['--undo', '--apply']);
    expect(undone).to.contain('Done.');
    expect(
      await Promise.all([User.countDocuments(), Token.countDocuments(), Budget.countDocuments(), Passkey.countDocuments()]),
    ).to.deep.equal([1, 0, 0, 0]);
  });
});
