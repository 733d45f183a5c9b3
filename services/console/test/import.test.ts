import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ImportView, LogView, Page, TokenView, UserView } from '@tollgate/contracts';
import { Channel, ImportRow, OptionModel, Order, Redemption, rows, Token, UsageLog, User, unseal } from '@tollgate/db';
import { bareEnvironment, engines, eventually, skipBecause } from '@tollgate/testing';
import { expect } from 'chai';
import { TOTP } from 'otpauth';
import { masterKey, startConsole, type TestConsole } from './support/console.ts';
import { installed, mariadbOf, postgresOf } from './support/other-databases.ts';
import { keyOf, type OtherGateway, oldPassword, otherGateway, person, removeOtherGateways } from './support/other-gateways.ts';

const run = promisify(execFile);
const program = join(import.meta.dirname, '../src/import.ts');
const rootQuota = 100_000_000;

describe('an import from another gateway', function () {
  this.timeout(120_000);
  let tollgate: TestConsole;
  let env: Record<string, string>;

  async function start(): Promise<void> {
    const uri = (await engines()).mongodbUri();
    tollgate = await startConsole({ MONGODB_URI: uri });
    env = { ...bareEnvironment(), MONGODB_URI: uri, REDIS_URL: tollgate.redisUrl, MASTER_KEY: masterKey } as Record<string, string>;
  }

  const argumentsFor = (source: OtherGateway, ...more: string[]) => [
    '--disable-warning=ExperimentalWarning',
    program,
    '--from',
    source.path,
    ...more,
  ];

  async function importFrom(source: OtherGateway, ...more: string[]): Promise<string> {
    return (await run(process.execPath, argumentsFor(source, ...more), { env })).stdout;
  }

  async function refusal(source: OtherGateway, ...more: string[]): Promise<string> {
    const failure = await importFrom(source, ...more).then(
      () => undefined,
      (error: { stderr: string }) => error.stderr,
    );
    return failure ?? 'it was not refused';
  }

  /** What stands in the database; what is random (sealed texts, new invitation codes) by what it stands for. */
  async function state(): Promise<unknown> {
    const sorted = { sort: { _id: 1 } } as const;
    const users = await User.find().select('+passwordHash +accessTokenHash -_id -createdAt').sort({ id: 1 }).lean();
    const tokens = await Token.find().select('+keySealed -_id').sort({ id: 1 }).lean();
    const channels = await Channel.find().select('+keySealed -_id -createdAt').sort({ id: 1 }).lean();
    const codes = await Redemption.find().select('-_id -createdAt').sort({ id: 1 }).lean();
    return JSON.parse(
      JSON.stringify({
        users: users.map((user) => (user.id === 1 ? { ...user, passwordHash: '', affCode: '' } : user)),
        tokens: tokens.map(({ keySealed, createdAt: _, ...token }) => ({ ...token, key: unseal(keySealed, `token:${token.id}:key`) })),
        channels: channels.map(({ keySealed, ...channel }) => ({ ...channel, key: unseal(keySealed, `channel:${channel.id}:key`) })),
        codes: codes.map(({ keySealed, ...code }) => ({ ...code, key: unseal(keySealed, `redemption:${code.id}:key`) })),
        orders: await Order.find().select('-_id').sort({ tradeNo: 1 }).lean(),
        options: (await OptionModel.find().sort({ _id: 1 }).lean()).map(({ _id, value }) => [_id, value]),
        wallets: (await rows.wallets().find({}, sorted).toArray()).map(({ _id, balance, usedQuota }) => ({ _id, balance, usedQuota })),
        tokenWallets: (await rows.tokenWallets().find({}, sorted).toArray()).map(({ _id, userId, remain }) => ({ _id, userId, remain })),
        ledger: (await rows.ledger().find({}, sorted).toArray()).map(({ _id, userId, amount, state }) => ({ _id, userId, amount, state })),
        imported: (await ImportRow.find({}, {}, sorted).lean()).map(({ _id, id, isDone, quota }) => ({ _id, id, isDone, quota })),
      }),
    );
  }

  afterEach(() => tollgate.close());
  after(removeOtherGateways);

  it('takes over new-api: balances to the unit, ids, keys, limits and passwords', async () => {
    const source = otherGateway('new-api');
    source.add('options', { key: 'GroupRatio', value: '{"default":1,"vip":0.5}' });
    source.add('options', { key: 'SMTPToken', value: 'mail secret' });
    source.add('options', { key: 'ServerAddress', value: 'https://old.example.com' });
    source.add('options', { key: 'Unheard', value: 'x' });
    source.add(
      'users',
      person(2, 'ada', { quota: 7, role: 10, email: 'Ada@example.com', group: 'vip', access_token: 'x+y/z', aff_quota: 5 }),
    );
    source.add('users', person(3, 'Ada', { quota: 11, email: 'ada@EXAMPLE.com', inviter_id: 2 }));
    source.add('users', person(4, 'grace', { quota: -9, status: 2, aff_code: '' }));
    source.add('users', person(5, 'gone', { quota: 13, deleted_at: '2026-11-26 15:22:36.643553579+00:00' }));
    source.add('users', person(9, 'bob@example.com', { quota: 999_999_999_999, group: 'nowhere' }));
    const keys = [keyOf(), keyOf(32), keyOf(120), keyOf(), keyOf()] as const;
    source.add('tokens', { id: 1, user_id: 1, key: keys[0], name: 'of root', unlimited_quota: 1, remain_quota: -468 });
    source.add('tokens', {
      id: 3,
      user_id: 2,
      key: keys[1],
      name: 'limited',
      remain_quota: 521,
      model_limits_enabled: 1,
      model_limits: 'a, b',
    });
    source.add('tokens', {
      id: 4,
      user_id: 3,
      key: keys[2],
      name: 'n'.repeat(40),
      remain_quota: 1,
      allow_ips: '127.0.0.1\n10.0.0.0/8',
      status: 2,
    });
    source.add('tokens', { id: 5, user_id: 3, key: keys[3], name: 'open?', allow_ips: 'localhost', unlimited_quota: 1 });
    source.add('tokens', { id: 6, user_id: 5, key: keys[4], name: 'orphan' });
    source.add('tokens', { id: 7, user_id: 2, key: 'with-hyphen', name: 'never' });
    const channel = { models: 'gpt-4o, m-1', base_url: 'https://up.example.com/', key: 'sk-upstream' };
    source.add('channels', {
      ...channel,
      id: 2,
      type: 1,
      name: 'plain',
      group: 'default,vip',
      priority: -5,
      weight: 3,
      tag: 't',
      status: 3,
    });
    source.add('channels', { ...channel, id: 3, type: 3, name: 'azure without address', base_url: '', other: '2024-06-01' });
    source.add('channels', { ...channel, id: 4, type: 49, name: 'coze' });
    const info = '{"is_multi_key":true,"multi_key_size":3,"multi_key_status_list":{"1":2}}';
    source.add('channels', {
      ...channel,
      id: 6,
      type: 1,
      name: 'three',
      key: 'k-1\nk-2\nk-3',
      channel_info: info,
      setting: '{"force_format":true,"odd":1}',
    });
    source.add('redemptions', { id: 1, user_id: 1, key: 'a'.repeat(32), name: 'gift', quota: 100 });
    source.add('redemptions', {
      id: 2,
      user_id: 1,
      key: 'b'.repeat(32),
      name: 'used',
      quota: 50,
      status: 3,
      used_user_id: 2,
      redeemed_time: 1_795_706_525,
    });
    source.add('redemptions', { id: 3, user_id: 1, key: 'c'.repeat(32), name: 'dated', quota: 10, expired_time: 1_895_706_525 });
    source.add('top_ups', { id: 1, user_id: 2, amount: 10, money: 73, trade_no: 'T1', create_time: 1_795_706_525, status: 'success' });
    source.add('top_ups', { id: 2, user_id: 2, amount: 3, money: 21.9, trade_no: 'T2', create_time: 1_795_706_525, status: 'pending' });
    source.add('users', person(10, 'turing'));
    source.add('users', person(11, 'hopper'));
    source.add('two_fas', { id: 1, user_id: 10, secret: 'JBSWY3DPEHPK3PXP', is_enabled: 1 });
    source.add('two_fas', { id: 2, user_id: 11, secret: 'enc:0123456789', is_enabled: 1 });
    source.add('two_fas', { id: 3, user_id: 2, secret: 'JBSWY3DPEHPK3PXP', is_enabled: 0 });
    source.add('logs', { id: 1, user_id: 2, type: 2, quota: 5 });

    await start();
    const untouched = await state();
    const report = await importFrom(source);
    expect(await state()).to.deep.equal(untouched);
    for (const line of [
      'option ServerAddress: set it by hand',
      'option Unheard: there is no such option here',
      'user 1 (root): it is merged with root (id 1), whose password stays',
      'user 10 (turing): its second step (TOTP) is kept, without recovery codes',
      'user 11 (hopper): its second step (TOTP) cannot be read: it comes without a password',
      'user 3 (Ada): its name Ada looks like that of another account',
      'user 3 (Ada): its email address is left out: another account has it',
      'user 4 (grace): its balance -9 becomes 0',
      'user 5 (gone): the account is deleted; its balance is 13',
      'user 9 (bob@example.com): its group nowhere has no ratio here',
      `token 4 (${'n'.repeat(40)}): its name becomes`,
      'token 5 (open?): localhost in its IP list is no address: the token is disabled',
      'token 6 (orphan): its owner, account 5, is deleted or left out',
      'token 7 (never): its key holds a hyphen',
      'channel 3 (azure without address): it is disabled',
      'channel 4 (coze): channel type 49 of new-api has no counterpart',
      'channel 6 (three): the setting odd is left out',
      'model m-1: it has no price here',
      'code 3 (dated): it is disabled: codes do not expire here',
      'top-up 2: it is pending',
      'table logs: 1 rows stay at the source (--logs takes them over)',
      '1000001000024  balances of all accounts at the source',
      '1000001000020  balances posted as opening entries',
      '0  difference (must be 0)',
      'dry run: nothing is written',
    ])
      expect(report).to.contain(line);
    for (const secret of [...keys, 'sk-upstream', 'mail secret', 'a'.repeat(32)]) expect(report).not.to.contain(secret);

    expect(await importFrom(source, '--apply')).to.contain('Done.');
    const wallets = await rows.wallets().find().toArray();
    expect(wallets.reduce((sum, { balance }) => sum + balance, 0)).to.equal(rootQuota + 1_000_001_000_020);
    const users = await User.find().sort({ id: 1 }).lean();
    expect(users.map(({ id, username, role, status }) => [id, username, role, status])).to.deep.equal([
      [1, 'root', 100, 1],
      [2, 'ada', 10, 1],
      [3, 'Ada', 1, 1],
      [4, 'grace', 1, 2],
      [9, 'bob@example.com', 1, 1],
      [10, 'turing', 1, 1],
      [11, 'hopper', 1, 1],
    ]);
    expect(users[1]).to.include({ email: 'ada@example.com', group: 'vip', affQuota: 5, affCode: 'A2' });
    expect(users[2]).to.include({ email: '', inviterId: 2 });
    expect((await Redemption.find().sort({ id: 1 }).lean()).map(({ status }) => status)).to.deep.equal([1, 3, 2]);
    expect(await Order.findOne({ tradeNo: 'T1' }).lean()).to.include({ userId: 2, quota: 5_000_000, cents: 7300, status: 'success' });
    const channels = await Channel.find().select('+keySealed').sort({ id: 1 }).lean();
    expect(channels.map(({ name, status, keySealed, id }) => [name, status, unseal(keySealed, `channel:${id}:key`)])).to.deep.equal([
      ['plain', 3, 'sk-upstream'],
      ['azure without address', 2, 'sk-upstream'],
      ['three', 1, 'k-1'],
    ]);
    expect(channels[2]?.keys?.map(({ id, status }: { id: number; status: number }) => [id, status])).to.deep.equal([
      [1, 1],
      [2, 2],
      [3, 1],
    ]);
    expect(channels[0]).to.include({ id: 2, priority: -5, weight: 3, tag: 't', baseUrl: 'https://up.example.com' });
    expect(channels[0]?.models).to.deep.equal(['gpt-4o', 'm-1']);

    const once = await state();
    expect(await importFrom(source, '--apply')).to.match(
      /option +0 +2\n +user +0 +7\n +token +0 +4\n +channel +0 +3\n +budget +0 +0\n +passkey +0 +0\n +code +0 +3\n +top-up +0 +1\n +log +0 +0\n/,
    );
    expect(await state()).to.deep.equal(once);

    const hashOf = async () => (await User.findOne({ id: 2 }).select('+passwordHash').lean())?.passwordHash;
    expect(await hashOf()).to.match(/^\$2a\$/);
    const wrong = await tollgate.anonymous.send('POST', '/api/user/login', { username: 'ada', password: 'wrong' });
    expect(wrong.success).to.equal(false);
    const ada = await tollgate.signIn('ada', oldPassword);
    expect(await hashOf()).to.match(/^\$argon2id\$/);
    await tollgate.signIn('ada', oldPassword);
    await tollgate.signIn('bob@example.com', oldPassword);
    const login = (username: string) => tollgate.anonymous.send('POST', '/api/user/login', { username, password: oldPassword });
    expect((await login('hopper')).success, 'a second step that cannot be read').to.equal(false);
    const first = await login('turing');
    expect(first.data).to.deep.equal({ require_2fa: true });
    const code = new TOTP({ secret: 'JBSWY3DPEHPK3PXP' }).generate();
    const second = await tollgate.anonymous.send(
      'POST',
      '/api/user/login/2fa',
      { code },
      { cookie: (first.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '' },
    );
    expect(second, 'the code of the app').to.include({ success: true });
    expect((await ada.ok<UserView>('GET', '/api/user/self')).quota).to.equal(7);
    const { items } = await ada.ok<Page<TokenView>>('GET', '/api/token/');
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ id: 3, key: keys[1], remain_quota: 521, model_limits: 'a,b', model_limits_enabled: true });
    expect(
      (await tollgate.anonymous.send('GET', '/api/user/self', undefined, { authorization: 'x+y/z', 'new-api-user': '2' })).success,
    ).to.equal(true);
    await ada.ok('POST', '/api/user/topup', { key: 'a'.repeat(32) });
    expect((await ada.ok<UserView>('GET', '/api/user/self')).quota).to.equal(107);
  });

  it('takes over one-api: its types, config, models and networks, and passes its traps', async () => {
    const source = otherGateway('one-api');
    source.add('options', { key: 'ModelRatio', value: '{"m":1.5,"openrouter/auto":-500000}' });
    source.add('users', person(2, 'alan', { quota: 5 }));
    source.add('users', person(3, 'deleted_0123456789abcdef0123456789abcdef', { quota: 3, status: 3 }));
    source.add('tokens', {
      id: 2,
      user_id: 2,
      key: keyOf(),
      name: 'default',
      unlimited_quota: 1,
      models: 'm,n',
      subnet: '10.0.0.0/8,192.168.0.1',
    });
    const channel = { models: 'm', key: 'k', config: '{}' };
    source.add('channels', { ...channel, id: 1, type: 36, name: 'deepseek' });
    source.add('channels', { ...channel, id: 2, type: 29, name: 'groq' });
    source.add('channels', { ...channel, id: 3, type: 34, name: 'coze' });
    source.add('channels', { ...channel, id: 4, type: 33, name: 'aws', key: '', config: '{"ak":"AK","sk":"SK","region":"us-east-1"}' });
    source.add('channels', { ...channel, id: 5, type: 50, name: 'compatible', base_url: 'https://up.example.com/v1' });
    await start();
    const report = await importFrom(source, '--apply');
    for (const line of ['openrouter/auto (-500000)', 'user 3 (deleted_', 'channel 3 (coze): channel type 34', 'becomes DeepSeek (43)'])
      expect(report).to.contain(line);
    const token = await Token.findOne({ id: 2 }).lean();
    expect(token).to.include({ userId: 2, modelLimitsEnabled: true, unlimited: true });
    expect(token?.modelLimits).to.deep.equal(['m', 'n']);
    expect(token?.allowIps).to.deep.equal(['10.0.0.0/8', '192.168.0.1']);
    const channels = await Channel.find().select('+keySealed').sort({ id: 1 }).lean();
    expect(channels.map(({ type, baseUrl }) => [type, baseUrl])).to.deep.equal([
      [43, ''],
      [1, 'https://api.groq.com/openai'],
      [33, ''],
      [1, 'https://up.example.com'],
    ]);
    expect(unseal(channels[2]?.keySealed ?? '', 'channel:4:key')).to.equal('AK|SK|us-east-1');
    expect((await OptionModel.findById('ModelRatio').lean())?.value).to.equal('{"m":1.5}');
  });

  it('takes over one-hub: its types, groups, prices and the limits in settings of tokens', async () => {
    const source = otherGateway('one-hub');
    source.add('user_groups', { id: 1, symbol: 'default', name: 'Default', ratio: 1, public: 1, enable: 1 });
    source.add('user_groups', { id: 2, symbol: 'vip', name: 'VIP', ratio: 0.5, public: 0, enable: 1 });
    source.add('prices', { model: 'm', type: 'tokens', channel_type: 1, input: 0.75, output: 3 });
    source.add('prices', { model: 'picture', type: 'times', channel_type: 1, input: 20, output: 20 });
    source.add('users', person(2, 'ada', { quota: 5, group: 'vip', github_id_new: 77, created_time: 1_795_706_525 }));
    const limits = '{"limits":{"limit_model_setting":{"enabled":true,"models":["m"]},"limits_ip_setting":{"enabled":true,"whitelist":[]}}}';
    source.add('tokens', { id: 1, user_id: 2, key: 'with-hyphen_1', name: 'limited', unlimited_quota: 1, setting: limits });
    source.add('tokens', { id: 2, user_id: 2, key: keyOf(), name: 'open', remain_quota: 9, setting: '{}' });
    const channel = { models: 'm', group: 'default', status: 1 };
    source.add('channels', { ...channel, id: 1, type: 28, name: 'deepseek', key: 'k' });
    source.add('channels', { ...channel, id: 2, type: 32, name: 'bedrock', key: 'us-east-1|AK|SK', custom_parameter: '{"a":1}' });
    source.add('channels', { ...channel, id: 3, type: 44, name: 'ideogram', key: 'k' });
    source.add('channels', { ...channel, id: 4, type: 1, name: 'gone', key: 'k', deleted_at: '2026-01-01 00:00:00' });
    await start();
    const bytes = readFileSync(source.path);
    const report = await importFrom(source, '--apply');
    for (const line of [
      'Import from one-hub',
      'token 1 (limited): none in its IP list is no address: the token is disabled',
      'channel 2 (bedrock): the setting custom_parameter is left out',
      'channel 3 (ideogram): channel type 44 of one-hub has no counterpart',
      'channel 4 (gone): it is deleted',
      ' 0  difference',
    ])
      expect(report).to.contain(line);
    const option = async (key: string) => JSON.parse((await OptionModel.findById(key).lean())?.value ?? '{}');
    expect(await option('GroupRatio')).to.deep.equal({ default: 1, vip: 0.5 });
    expect(await option('ModelRatio')).to.deep.equal({ m: 0.75 });
    expect(await option('CompletionRatio')).to.deep.equal({ m: 4 });
    expect(await option('ModelPrice')).to.deep.equal({ picture: 0.04 });
    expect(await User.findOne({ id: 2 }).lean()).to.include({ githubId: '77', group: 'vip' });
    expect((await Token.find().sort({ id: 1 }).lean()).map(({ status, modelLimits }) => [status, modelLimits])).to.deep.equal([
      [2, ['m']],
      [1, []],
    ]);
    const channels = await Channel.find().select('+keySealed').sort({ id: 1 }).lean();
    expect(channels.map(({ id, type, keySealed }) => [type, unseal(keySealed, `channel:${id}:key`)])).to.deep.equal([
      [43, 'k'],
      [33, 'AK|SK|us-east-1'],
    ]);
    expect(readFileSync(source.path).equals(bytes), 'the source is only read').to.equal(true);
  });

  it('loses no row to odd values: it takes each over or names it', async () => {
    const source = otherGateway('new-api');
    const odd: Fields[] = [
      { quota: 2 ** 53 },
      { quota: 'many' },
      { username: 'nul\u0000name' },
      { display_name: null, email: 'no address', aff_code: null },
      { setting: 'no json', inviter_id: 99_999 },
      { status: 77, role: 55 },
    ];
    for (const [at, fields] of odd.entries()) source.add('users', person(2 + at, `odd${at}`, fields));
    const late = 9_000_000_000_000_000;
    const tokens = [
      ...[{ created_time: late }, { expired_time: late }, { remain_quota: late * 2 }, { name: null }, { name: '\u202eevil' }],
      { status: -1 },
    ] as Fields[];
    for (const [at, fields] of tokens.entries())
      source.add('tokens', { user_id: 5, unlimited_quota: 0, remain_quota: 5, id: 1 + at, key: keyOf(), name: `t${at}`, ...fields });
    const channels = [
      ...[{ created_time: late }, { models: '' }, { model_mapping: '{broken' }, { key: '' }, { setting: '[]' }],
      { priority: late, weight: -4 },
    ] as Fields[];
    for (const [at, fields] of channels.entries())
      source.add('channels', { type: 1, key: 'k', models: 'm', name: 'c', id: 1 + at, ...fields });
    source.add('redemptions', { id: 1, user_id: 1, key: 'a'.repeat(32), name: null, quota: 5, created_time: late });
    source.add('redemptions', { id: 2, user_id: 1, key: 'b'.repeat(32), name: 'x', quota: late * 2 });
    source.add('top_ups', { id: 1, user_id: 5, amount: 1, money: 'NaN', trade_no: 'T1', create_time: late, status: 'success' });
    source.add('logs', { id: 1, user_id: 5, created_at: late, type: 2, model_name: 'm', quota: 1 });
    await start();
    const report = await importFrom(source, '--apply', '--logs', 'all');
    const made = async (model: { countDocuments(): PromiseLike<number> }) => model.countDocuments();
    const named = (kind: string) => new Set([...report.matchAll(new RegExp(`^  ${kind} (\\d+)`, 'gm'))].map(([, id]) => id));
    expect(report).to.contain(' 0  difference');
    const left = (kind: string) =>
      new Set([...report.slice(report.indexOf('Left out')).matchAll(new RegExp(`^  ${kind} (\\d+)`, 'gm'))].map(([, id]) => id));
    expect((await made(User)) + left('user').size, `users\n${report}`).to.equal(1 + odd.length);
    expect((await made(Token)) + left('token').size, `tokens\n${report}`).to.equal(6);
    expect((await made(Channel)) + left('channel').size, `channels\n${report}`).to.equal(6);
    expect((await made(Redemption)) + left('code').size, `codes\n${report}`).to.equal(2);
    expect((await made(Order)) + left('top-up').size, `orders\n${report}`).to.equal(1);
    expect((await UsageLog.countDocuments({ importedFrom: 'new-api' })) + left('log').size, `logs\n${report}`).to.equal(1);
    expect(named('user').has('2')).to.equal(true);
  });

  it('takes over the log by months or whole, as history that no balance counts', async () => {
    const source = otherGateway('new-api');
    source.add('users', person(2, 'ada', { quota: 1000, used_quota: 60 }));
    const log = { user_id: 2, type: 2, username: 'ada', token_name: 'mine', model_name: 'm-1', content: 'a call' };
    const [august, september] = [Date.UTC(2026, 7, 31, 23, 59, 59) / 1000, Date.UTC(2026, 8, 1) / 1000];
    source.add('logs', { ...log, id: 1, created_at: august, quota: 10, prompt_tokens: 3, completion_tokens: 4, use_time: 2 });
    source.add('logs', { ...log, id: 2, created_at: september, quota: 20, prompt_tokens: 5, completion_tokens: 6 });
    source.add('logs', { ...log, id: 3, created_at: september, quota: 30, prompt_tokens: 7, completion_tokens: 8 });
    source.add('logs', { ...log, id: 4, created_at: september, type: 1, quota: 500, content: 'a top-up' });
    source.add('logs', { ...log, id: 5, created_at: september, type: 5, content: 'an error' });
    source.add('logs', { ...log, id: 6, created_at: september, user_id: 77, quota: 9 });
    await start();
    expect(await refusal(source, '--logs', 'some')).to.contain('--logs takes none, months, all');
    const dry = await importFrom(source, '--logs', 'months');
    expect(dry)
      .to.match(/log +2 +0/)
      .and.contain('60  of that in log rows');
    const imported = async () => UsageLog.find({ importedFrom: 'new-api' }).sort({ at: 1, _id: 1 }).lean();
    expect(await imported()).to.deep.equal([]);
    await importFrom(source, '--apply', '--logs', 'months');
    source.add('logs', { ...log, id: 7, created_at: september, quota: 1 });
    await importFrom(source, '--apply', '--logs', 'months');
    expect((await imported()).map(({ type, text }) => [type, text.values])).to.deep.equal([
      [4, { source: 'new-api', month: '2026-08', model: 'm-1', calls: 1, prompt: 3, completion: 4, quota: 10 }],
      [4, { source: 'new-api', month: '2026-09', model: 'm-1', calls: 3, prompt: 12, completion: 14, quota: 51 }],
    ]);
    const { items } = await (await tollgate.signIn('ada', oldPassword)).ok<Page<LogView>>('GET', '/api/log/self?model_name=m-1');
    expect(items.map(({ content }) => content)).to.include(
      'Usage of m-1 in 2026-09, imported from new-api: 3 calls, 12 prompt tokens, 14 completion tokens, 51 quota',
    );
    await importFrom(source, '--apply', '--logs', 'all');
    source.add('logs', { ...log, id: 8, created_at: september, quota: 2 });
    expect(await importFrom(source, '--apply', '--logs', 'all')).to.match(/log +1 +0/);
    expect((await imported()).map(({ type, quota, durationMs }) => [type, quota, durationMs ?? 0])).to.deep.equal([
      [2, 10, 2000],
      [2, 20, 0],
      [2, 30, 0],
      [1, 0, 0],
      [2, 1, 0],
      [2, 2, 0],
    ]);
    expect(await refusal(source, '--logs', 'months')).to.contain('row by row already');
    expect(await rows.wallets().findOne({ _id: 2 })).to.include({ balance: 1000, usedQuota: 0 });
  });

  for (const [engine, startedOf] of [
    ['mariadb', mariadbOf],
    ['postgres', postgresOf],
  ] as const)
    it(`takes over the same from ${engine} as from SQLite`, async function () {
      if (!installed[engine]) return skipBecause(this, `no server of ${engine} is installed`);
      const source = otherGateway('new-api');
      source.add('options', { key: 'GroupRatio', value: '{"default":1,"vip":0.5}' });
      source.add('options', { key: 'SystemName', value: '网关 🚪 \\ "quoted"' });
      source.add('users', person(2, 'ada', { quota: 999_999_999_999, group: 'vip', email: 'a@example.com', inviter_id: 1 }));
      source.add('users', person(3, '名前🙂', { quota: 7 }));
      source.add('users', person(4, 'gone', { quota: 13, deleted_at: '2026-11-26 15:22:36' }));
      source.add('tokens', {
        id: 1,
        user_id: 2,
        key: keyOf(),
        name: "it's",
        unlimited_quota: 1,
        model_limits_enabled: 1,
        model_limits: 'a',
      });
      source.add('tokens', { id: 2, user_id: 3, key: keyOf(), name: 'limited', remain_quota: 5, created_time: 1_795_706_525 });
      source.add('channels', {
        id: 1,
        type: 1,
        name: 'c',
        key: 'k-1\nk-2',
        models: 'm',
        channel_info: '{"is_multi_key":true}',
        setting: '{}',
      });
      source.add('redemptions', { id: 1, user_id: 1, key: 'f'.repeat(32), name: 'gift', quota: 100 });
      source.add('top_ups', { id: 1, user_id: 2, amount: 10, money: 73.5, trade_no: 'T1', create_time: 1_795_706_525, status: 'success' });
      source.add('two_fas', { id: 1, user_id: 3, secret: 'JBSWY3DPEHPK3PXP', is_enabled: 1 });
      source.add('logs', { id: 1, user_id: 2, created_at: 1_795_706_525, type: 2, model_name: 'm', quota: 3_000_000_000, is_stream: 1 });
      source.add('logs', { id: 2, user_id: 2, created_at: 1_795_706_525, type: 2, model_name: 'm', quota: 2 });
      await start();
      const database = await startedOf(source.path);
      try {
        const dry = await importFrom(source, '--logs', 'months');
        expect(await importFrom({ ...source, path: database.address }, '--logs', 'months')).to.equal(dry);
        await importFrom({ ...source, path: database.address }, '--apply', '--logs', 'months');
        const [months] = await UsageLog.find({ importedFrom: 'new-api' }).lean();
        expect(months?.text.values).to.include({ calls: 2, quota: 3_000_000_002 });
        await importFrom({ ...source, path: database.address }, '--apply', '--logs', 'all');
        const whole = await state();
        expect(await importFrom(source, '--apply', '--logs', 'all')).to.match(/user +0 +3\n +token +0 +2\n +channel +0 +1\n/);
        expect(await state()).to.deep.equal(whole);
        expect(await UsageLog.findById('import:new-api:log:1').lean()).to.include({ quota: 3_000_000_000, isStream: true });
        const wrong = database.address.replace(/\d+\/(gateway|postgres)$/, '1/x');
        expect(await refusal({ ...source, path: wrong }))
          .to.contain('server does not let us in')
          .and.not.to.contain('p@ss');
      } finally {
        await database.close();
      }
    });

  it('follows the source when it is repeated: new rows, spent balances, used codes', async () => {
    const source = otherGateway('new-api');
    source.add('users', person(2, 'ada', { quota: 1000 }));
    source.add('tokens', { id: 1, user_id: 2, key: keyOf(), name: 'mine', remain_quota: 100 });
    source.add('redemptions', { id: 1, user_id: 1, key: 'd'.repeat(32), name: 'gift', quota: 100 });
    await start();
    const native = await tollgate.newUser();
    await importFrom(source, '--apply');
    source.run('UPDATE users SET quota = 400 WHERE id = 2');
    source.run('UPDATE tokens SET remain_quota = 60 WHERE id = 1');
    source.run('UPDATE redemptions SET status = 3, used_user_id = 2 WHERE id = 1');
    source.add('users', person(3, 'late', { quota: 8 }));
    const text = await importFrom(source, '--apply');
    expect(text).to.contain('user 2 (ada): its balance follows the source: 1000 becomes 400').and.contain(' 0  difference');
    expect(text).to.contain('code 1 (gift): it was used at the source');
    const ada = await User.findOne({ username: 'ada' }).lean();
    expect(ada?.id).to.be.greaterThan(native.id);
    expect((await rows.wallets().findOne({ _id: ada?.id ?? 0 }))?.balance).to.equal(400);
    expect((await rows.tokenWallets().findOne({ _id: 1 }))?.remain).to.equal(60);
    expect((await Redemption.findOne({ id: 1 }).lean())?.status).to.equal(3);
    expect(await User.exists({ username: 'late' })).not.to.equal(null);

    const other = otherGateway('new-api');
    other.run("UPDATE users SET username = 'admin' WHERE id = 1");
    expect(await refusal(other)).to.contain('Give this one a name of its own: --name second');
    expect(await importFrom(other, '--name', 'second')).to.contain('known as second');
    expect(await refusal(otherGateway('one-api'), '--name', 'new-api')).to.contain('new-api was imported under the name new-api');
    expect(await refusal({ ...source, path: '/nowhere.db' })).to.contain('there is no file');
    expect(await refusal({ ...source, path: program })).to.contain('cannot be read as a SQLite database');
  });

  it('is taken back whole until the first call, and can be repeated under the same ids', async () => {
    const source = otherGateway('new-api');
    source.add('options', { key: 'GroupRatio', value: '{"default":1,"vip":0.5}' });
    source.add('options', { key: 'SystemName', value: 'Old' });
    source.add('users', person(2, 'ada', { quota: 1000 }));
    source.add('tokens', { id: 1, user_id: 2, key: keyOf(), name: 'mine', remain_quota: 100 });
    source.add('channels', { id: 1, type: 1, name: 'c', key: 'k', models: 'm' });
    source.add('redemptions', { id: 1, user_id: 1, key: 'e'.repeat(32), name: 'gift', quota: 100 });
    source.add('top_ups', { id: 1, user_id: 2, amount: 10, money: 73, trade_no: 'T9', create_time: 1_795_706_525, status: 'success' });
    source.add('logs', { id: 1, user_id: 2, created_at: 1_795_706_525, type: 2, model_name: 'm', quota: 5 });
    await start();
    const undo = async (...more: string[]) =>
      (await run(process.execPath, ['--disable-warning=ExperimentalWarning', program, '--undo', ...more], { env })).stdout;
    const refused = (...more: string[]) => undo(...more).then(String, ({ stderr }: { stderr: string }) => stderr);
    expect(await refused()).to.contain('Nothing was imported.');
    const collections = async () => ({
      users: await User.countDocuments(),
      others: await Promise.all([Token, Channel, Redemption, Order, OptionModel].map((each) => (each as typeof Token).countDocuments())),
      logs: await UsageLog.countDocuments({ importedFrom: 'new-api' }),
      balances: (await rows.wallets().find().toArray()).reduce((sum, { balance }) => sum + balance, 0),
    });
    const untouched = await collections();
    await importFrom(source, '--apply', '--logs', 'all');
    const whole = await state();
    await OptionModel.updateOne({ _id: 'SystemName' }, { $set: { value: 'New' }, $inc: { version: 1 } });
    expect(await undo())
      .to.match(/option +2\n +user +2\n +token +1\n/)
      .and.contain('Nothing is taken back yet');
    expect(await undo('--apply'))
      .to.contain('option SystemName: it was changed here and stays')
      .and.contain('Done.');
    expect(await collections()).to.deep.equal({ ...untouched, others: [0, 0, 0, 0, 1] });
    await OptionModel.deleteOne({ _id: 'SystemName' });
    expect(await undo('--apply', '--name', 'new-api')).to.contain('Done.');
    await importFrom(source, '--apply', '--logs', 'all');
    const withoutBooks = (each: unknown) => ({ ...(each as Record<string, unknown>), ledger: [] });
    expect(withoutBooks(await state())).to.deep.equal(withoutBooks(whole));
    expect((await rows.wallets().findOne({ _id: 2 }))?.balance).to.equal(1000);
    await rows.tokenWallets().updateOne({ _id: 1 }, { $set: { used: 5 } });
    expect(await refused('--apply')).to.contain('Token 1 was used after the import: it cannot be undone any more.');
    expect(withoutBooks(await state())).to.deep.equal(withoutBooks(whole));
  });

  it('runs from the console too: a check, the import, its undo, and passwords of sources are not shown', async () => {
    const source = otherGateway('new-api');
    source.add('users', person(2, 'ada', { quota: 1000 }));
    await start();
    const ended = async () =>
      eventually(async () => {
        const view = await tollgate.root.ok<ImportView>('GET', '/api/import');
        expect(view.state).to.be.oneOf(['done', 'failed']);
        return view;
      });
    await tollgate.root.ok('POST', '/api/import', { from: source.path });
    const check = await ended();
    expect(check).to.include({ state: 'done', action: 'import', apply: false, error: '' });
    expect(check.report).to.contain('balances posted as opening entries').and.contain('dry run');
    expect(check.made.user).to.equal(2);
    expect(await User.countDocuments()).to.equal(1);
    await tollgate.root.ok('POST', '/api/import', { from: source.path, apply: true });
    expect((await ended()).report).to.contain('Done.');
    expect((await (await tollgate.signIn('ada', oldPassword)).ok<UserView>('GET', '/api/user/self')).quota).to.equal(1000);
    await tollgate.root.ok('POST', '/api/import/undo', { name: 'new-api', apply: true });
    expect(await ended()).to.include({ state: 'done', action: 'undo', apply: true });
    expect(await User.countDocuments()).to.equal(1);

    for (const from of ['mysql://reader:canary-pass@10.1.2.3:3306/x', 'postgres://reader:canary-pass@localhost/x?host=/tmp']) {
      await tollgate.root.ok('POST', '/api/import', { from });
      const failed = await ended();
      expect(failed.state, from).to.equal('failed');
      expect(failed.error, from).to.match(/private range|is not valid/);
      expect(JSON.stringify(failed)).not.to.contain('canary-pass');
    }
  });

  it('ends in the same state after it was killed and run again', async () => {
    const source = otherGateway('new-api');
    for (let id = 2; id <= 60; id += 1) source.add('users', person(id, `user${id}`, { quota: id * 1000 + 1, inviter_id: 1 }));
    for (let id = 1; id <= 120; id += 1)
      source.add('tokens', { id, user_id: 1 + (id % 60), key: keyOf(), name: `t${id}`, remain_quota: id, created_time: 1_795_706_525 });
    for (let id = 1; id <= 20; id += 1) source.add('channels', { id, type: 1, name: `c${id}`, key: `k${id}`, models: 'm' });
    await start();
    await importFrom(source, '--apply');
    const whole = await state();
    await tollgate.close();

    await start();
    const killedWhen: (() => Promise<boolean>)[] = [
      async () => (await ImportRow.countDocuments()) > 0,
      async () => (await User.countDocuments()) > 1,
      async () => (await rows.ledger().countDocuments({ reason: 'import' })) >= 20,
      async () => (await rows.tokenWallets().countDocuments()) >= 60,
      async () => (await Token.countDocuments()) > 0,
      async () => (await Channel.countDocuments()) > 0,
    ];
    for (const isReached of killedWhen)
      await killedOnce(spawn(process.execPath, argumentsFor(source, '--apply'), { env, stdio: 'ignore' }), isReached);
    expect(await importFrom(source, '--apply')).to.contain(' 0  difference');
    expect(await state()).to.deep.equal(whole);
  });
});

type Fields = Record<string, string | number | null>;

async function killedOnce(child: ChildProcess, isReached: () => Promise<boolean>): Promise<void> {
  const ended = once(child, 'exit');
  while (child.exitCode === null && !(await isReached())) await delay(2);
  child.kill('SIGKILL');
  await ended;
}
