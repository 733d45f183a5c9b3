import { request as httpRequest } from 'node:http';
import { watchNotices } from '@tollgate/bus';
import {
  type OptionDescription,
  type OptionFailure,
  type OptionView,
  optionKeys,
  type PricingRow,
  type StatusView,
} from '@tollgate/contracts';
import { AuditLog, OptionModel, User } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { startConsole, type TestConsole } from './support/console.ts';

describe('options', () => {
  let tollgate: TestConsole;
  before(async () => {
    tollgate = await startConsole();
  });
  after(() => tollgate.close());

  it('are listed as texts, defaults too, secrets never', async () => {
    await put('SMTPToken', 'canary-smtp');
    const options = await tollgate.root.ok<OptionView[]>('GET', '/api/option/');
    const keys = options.map(({ key }) => key);
    expect(keys).to.include.members(['SystemName', 'ModelRatio', 'TurnstileSiteKey']);
    expect(keys.filter((key) => /Token$|Secret$|SecretKey$|ValidKey$|EpayKey$/.test(key))).to.deep.equal([]);
    expect(options.every(({ value }) => typeof value === 'string')).to.equal(true);
    expect(JSON.stringify([options, await OptionModel.find().lean(), await AuditLog.find().lean()])).not.to.contain('canary');
  });

  it('take effect at once and stay over a restart', async () => {
    await put('SystemName', 'My gateway');
    await put('Notice', '# Hello');
    const check = async () => {
      expect((await tollgate.anonymous.ok<StatusView>('GET', '/api/status')).system_name).to.equal('My gateway');
      expect(await tollgate.anonymous.ok('GET', '/api/notice')).to.equal('# Hello');
    };
    await check();
    await tollgate.restart();
    await check();
  });

  it('are stored only when the whole value is good, and say what is wrong', async () => {
    for (const [key, value, message] of [
      ['ModelRatio', '{"a":', /ModelRatio is not valid: must be valid JSON/],
      ['ModelRatio', '{"a":"b"}', /ModelRatio is not valid: a:/],
      ['GroupRatio', '{"default":-1}', /GroupRatio is not valid: default:/],
      ['QuotaPerUnit', '0', /QuotaPerUnit is not valid/],
      ['RetryTimes', '1.5', /RetryTimes/],
      ['RetryTimes', 'NaN', /must be a number/],
      ['RegisterEnabled', 'yes', /RegisterEnabled/],
      ['ServerAddress', 'javascript:alert(1)', /must be an http or https address/],
      ['DataExportDefaultTime', 'year', /DataExportDefaultTime/],
      ['NoSuchOption', 'x', /Unknown option: NoSuchOption/],
      ['__proto__', 'x', /Unknown option: __proto__/],
    ] as const) {
      const reply = await tollgate.root.send('PUT', '/api/option/', { key, value });
      expect(reply, `${key}=${value}`).to.include({ status: 200, success: false });
      expect(reply.message).to.match(message);
      expect(await OptionModel.countDocuments({ _id: key })).to.equal(0);
    }
    expect((await tollgate.root.send('PUT', '/api/option/', { key: 'RetryTimes', value: 3 })).code).to.equal('invalid_parameter');
    expect((await tollgate.root.send('PUT', '/api/option/', '{"key":')).status).to.equal(400);
  });

  it('cannot be switched on before what they need is there', async () => {
    for (const [key, needed] of [
      ['GitHubOAuthEnabled', 'GitHubClientId'],
      ['TelegramOAuthEnabled', 'TelegramBotToken'],
      ['TurnstileCheckEnabled', 'TurnstileSiteKey'],
      ['WeChatAuthEnabled', 'WeChatServerAddress'],
    ] as const) {
      expect((await tollgate.root.send('PUT', '/api/option/', { key, value: 'true' })).message).to.equal(
        `Set ${needed} before you enable ${key}`,
      );
      await put(key, 'false');
    }
    await put('GitHubClientId', 'id');
    await put('GitHubClientSecret', 'secret');
    await put('GitHubOAuthEnabled', 'true');
    expect((await tollgate.anonymous.ok<StatusView>('GET', '/api/status')).github_oauth).to.equal(true);
  });

  it('know older names, tidy addresses, and put model ratios back', async () => {
    await put('ShouldPreConsumedQuota', '77');
    expect(await textOf('PreConsumedQuota')).to.equal('77');
    await put('ServerAddress', 'https://example.com///');
    expect(await textOf('ServerAddress')).to.equal('https://example.com');
    for (const key of ['WorkerUrl', 'PayAddress', 'WeChatServerAddress']) {
      await put(key, 'https://example.com/path//');
      expect(await textOf(key), key).to.equal('https://example.com/path');
    }
    const shipped = await textOf('ModelRatio');
    await put('ModelRatio', '{"only":1}');
    expect((await tollgate.root.send('POST', '/api/option/rest_model_ratio')).message).to.equal('Model ratios were reset');
    expect(await textOf('ModelRatio')).to.equal(shipped);
  });

  it('leave a trail with the value before and after', async () => {
    await put('TopUpLink', 'https://shop.example');
    const [entry] = await AuditLog.find({ target: 'option:TopUpLink' }).lean();
    expect(entry).to.include({ actorId: 1, action: 'option.update', before: '', after: 'https://shop.example' });
  });

  it('say what each of them is, secret ones too, and of these only whether they are set', async () => {
    await put('TelegramBotToken', 'canary-bot');
    const { described } = (await tollgate.root.send('GET', '/api/option/')) as unknown as { described: OptionDescription[] };
    expect(described.map(({ key }) => key)).to.have.members(optionKeys);
    const [retries, secret, choice] = ['RetryTimes', 'TelegramBotToken', 'DataExportDefaultTime'].map((key) =>
      described.find((option) => option.key === key),
    );
    expect(retries).to.include({ kind: 'integer', section: 'general', min: 0, max: 10, default: '0', isSet: false });
    expect(retries?.label).to.deep.equal({ en: 'Retries per call', zh: '失败重试次数' });
    expect(secret).to.include({ access: 'secret', isSet: true });
    expect(Object.keys(choice?.choices ?? {})).to.deep.equal(['hour', 'day', 'week']);
    expect(JSON.stringify(described)).not.to.contain('canary');
    await put('TelegramBotToken', '');
  });

  it('are refused by name and line where a JSON text has a name twice, or a wrong value', async () => {
    const twice = await tollgate.root.send('PUT', '/api/option/', { key: 'GroupRatio', value: '{"default":1,\n"default":2}' });
    expect(twice.message).to.equal('The value of GroupRatio is not valid: has default twice');
    const { failures } = await batch([
      { key: 'GroupRatio', value: '{\n"default": 1,\n"vip": 2,\n"default": 3}' },
      { key: 'ModelRatio', value: '{\n"a": 1,\n"b": -2}' },
      { key: 'LongContextPrice', value: '{"m": {"above": 1,\n"input": 1,\n"output": "x"}}' },
    ]);
    expect(failures.map(({ key, line }) => [key, line])).to.deep.equal([
      ['GroupRatio', 4],
      ['ModelRatio', 3],
      ['LongContextPrice', 3],
    ]);
  });

  it('are saved as one batch, all or none, with one notice and a row of the audit log each', async () => {
    const refused = await batch([
      { key: 'RetryTimes', value: '5' },
      { key: 'DataExportInterval', value: '0' },
      { key: 'NoSuchOption', value: '1' },
      { key: 'LinuxDOOAuthEnabled', value: 'true' },
    ]);
    expect(refused).to.include({ success: false, code: 'options_refused' });
    expect(refused.failures.map(({ key, code }) => [key, code])).to.deep.equal([
      ['DataExportInterval', 'invalid_option'],
      ['NoSuchOption', 'unknown_option'],
      ['LinuxDOOAuthEnabled', 'option_needs'],
    ]);
    expect(refused.message).to.contain('Nothing was saved').and.to.contain('DataExportInterval');
    expect(await textOf('RetryTimes')).to.equal('0');

    const notices: string[] = [];
    const [redis, subscriber] = [new Redis(tollgate.redisUrl), new Redis(tollgate.redisUrl)];
    const watch = await watchNotices({
      redis,
      subscriber,
      onNotice: (kind, id) => kind === 'option' && notices.push(id),
      onGap: () => undefined,
    });
    try {
      const saved = await batch([
        { key: 'LinuxDOOAuthEnabled', value: 'true' },
        { key: 'LinuxDOClientId', value: 'id' },
        { key: 'LinuxDOClientSecret', value: 'canary-linuxdo' },
        { key: 'RetryTimes', value: '5' },
      ]);
      expect(saved.success, saved.message).to.equal(true);
      await eventually(() => expect(notices).to.deep.equal(['LinuxDOOAuthEnabled,LinuxDOClientId,LinuxDOClientSecret,RetryTimes']));
    } finally {
      await watch.stop();
      redis.disconnect();
      subscriber.disconnect();
    }
    const trail = await AuditLog.find({ target: /RetryTimes|LinuxDO/ })
      .sort({ _id: 1 })
      .lean();
    expect(trail.map(({ target, before, after }) => [target, before, after])).to.deep.equal([
      ['option:LinuxDOOAuthEnabled', 'false', 'true'],
      ['option:LinuxDOClientId', '', 'id'],
      ['option:LinuxDOClientSecret', '', '(set)'],
      ['option:RetryTimes', '0', '5'],
    ]);
  });

  it('go back to their defaults, and stay as they are where somebody else was quicker', async () => {
    await put('MinTopUp', '3');
    await put('Price', '5');
    const { version } = (await listed('MinTopUp')) as OptionView;
    await put('MinTopUp', '4');
    const stale = await batch([
      { key: 'Price', value: null },
      { key: 'MinTopUp', value: '9', version },
    ]);
    expect(stale.failures).to.have.length(1);
    expect(stale.failures[0]).to.include({ key: 'MinTopUp', code: 'conflict' });
    expect(stale.failures[0]?.stored).to.include({ key: 'MinTopUp', value: '4' });
    expect(await textOf('Price')).to.equal('5');
    expect(
      (
        await batch([
          { key: 'Price', value: null },
          { key: 'MinTopUp', value: '9', version: stale.failures[0]?.stored?.version },
        ])
      ).success,
    ).to.equal(true);
    expect([await textOf('Price'), await textOf('MinTopUp')]).to.deep.equal(['7.3', '9']);
    expect(await OptionModel.countDocuments({ _id: 'Price' })).to.equal(0);
  });

  it('of payment need the address of the server', async () => {
    await put('ServerAddress', '');
    for (const key of ['EpayId', 'EpayKey', 'StripeSecretKey'])
      expect((await tollgate.root.send('PUT', '/api/option/', { key, value: 'x' })).code, key).to.equal('server_address_first');
    const payment = { key: 'PayAddress', value: 'https://pay.example' };
    expect((await tollgate.root.send('PUT', '/api/option/', payment)).message).to.equal('Please fill in the server address first');
    expect((await tollgate.root.send('PUT', '/api/option/', payment, { 'accept-language': 'zh' })).message).to.equal('请先填写服务器地址');
    expect((await batch([payment, { key: 'ServerAddress', value: 'https://a.example/' }])).success).to.equal(true);
  });

  async function batch(options: { key: string; value: string | null; version?: number | undefined }[]) {
    const reply = await tollgate.root.send<{ failures: OptionFailure[] }>('PUT', '/api/option/batch', { options });
    return { ...reply, failures: reply.data?.failures ?? [] };
  }

  async function listed(key: string): Promise<OptionView | undefined> {
    return (await tollgate.root.ok<OptionView[]>('GET', '/api/option/')).find((option) => option.key === key);
  }

  it('give way to the model catalog, and the price list says whose price is whose', async () => {
    const channel = { name: 'p', type: 14, key: 'sk-p', models: 'claude-opus-4-8,gpt-4o,mine', group: 'default' };
    await tollgate.root.ok('POST', '/api/channel/', channel);
    await tollgate.root.ok('PUT', '/api/option/', { key: 'ModelRatio', value: '{"mine":2,"gpt-4o":1.25}', confirm: true });
    const rows = await tollgate.root.ok<PricingRow[]>('GET', '/api/pricing');
    const told = (model: string) => rows.find(({ model_name }) => model_name === model);
    expect([told('mine')?.price_origin, told('gpt-4o')?.price_origin]).to.deep.equal(['operator', 'default']);
    expect(told('claude-opus-4-8')).to.deep.include({
      price_origin: 'catalog',
      model_ratio: 2.5,
      completion_ratio: 5,
      max_output_tokens: 128_000,
    });
    expect(told('claude-opus-4-8')?.price_source).to.match(/^https:/);
    await tollgate.root.ok('POST', '/api/option/rest_model_ratio?confirm=true');
  });

  it('take a catalog that moves prices by more than a tenth only once that is confirmed', async () => {
    const { root } = tollgate;
    const at = { source: 'https://example.com/prices', read: '2026-11-26' };
    const catalog = (input: number, output: number) =>
      JSON.stringify({
        version: 1,
        families: {},
        models: [{ name: 'claude-opus-4-8', provider: 'anthropic', price: { input, output }, ...at }],
      });
    const ask = (value: string | null) =>
      root.send<{ effects: string[] }>('PUT', '/api/option/batch', { options: [{ key: 'ModelCatalog', value }] });
    const dear = await ask(catalog(5, 50));
    expect(dear.code).to.equal('confirmation_needed');
    expect(dear.data.effects.join()).to.contain('claude-opus-4-8 output $25 → $50 (+100 %)');
    expect((await ask(catalog(2.5, 25))).data.effects.join()).to.contain('claude-opus-4-8 input $5 → $2.5 (-50 %)');
    expect(await textOf('ModelCatalog')).to.contain('"models":[]');
    await root.ok('PUT', '/api/option/', { key: 'ModelCatalog', value: catalog(5, 50), confirm: true });
    await root.ok('PUT', '/api/option/', { key: 'ModelCatalog', value: catalog(5.2, 52) });
    expect((await ask(null)).data.effects.join()).to.contain('output $52 → $25 (-52 %)');
    await root.ok('PUT', '/api/option/batch', { options: [{ key: 'ModelCatalog', value: null }], confirm: true });
  });

  it('that users depend on vanish only once that is confirmed, and say what would change', async () => {
    const { root } = tollgate;
    await put('GroupRatio', '{"default":1,"gold":0.5,"empty":3}');
    await put('TopupGroupRatio', '{"default":1,"gold":0.8}');
    const user = await tollgate.newUser();
    await root.ok('PUT', '/api/user/', { id: user.id, group: 'gold' });
    const other = await tollgate.newUser();
    await put('UserUsableGroups', '{"default":"d","gold":"g"}');
    await other.ok('POST', '/api/token/', { name: 'golden', group: 'gold', unlimited_quota: true });
    const channel = { name: 'c', type: 1, key: 'sk-x', models: 'my-model,gpt-4o', group: 'gold' };
    await root.ok('POST', '/api/channel/', channel);
    await put('ModelRatio', '{"my-model":2,"gpt-4o":1.25,"unused":3}');
    const ask = (key: string, value: string | null, headers = {}) =>
      root.send<{ effects: string[] }>('PUT', '/api/option/batch', { options: [{ key, value }] }, headers);
    const cases: [key: string, value: string, effect: RegExp][] = [
      [
        'GroupRatio',
        '{"default":1}',
        /^group gold is used by 1 users, 1 tokens and 1 channels, and would be charged at ratio 1 instead of 0\.5$/,
      ],
      ['TopupGroupRatio', '{}', /^1 users in group gold would top up at ratio 1 instead of 0\.8$/],
      ['UserUsableGroups', '{"default":"d"}', /^1 tokens use group gold, which their owners could no longer choose$/],
      ['ModelRatio', '{"gpt-4o":1.25}', /^1 models that channels offer would have no price and be refused: my-model$/],
    ];
    for (const [key, value, effect] of cases) {
      const before = await textOf(key);
      for (const reply of [await ask(key, value), await root.send<{ effects: string[] }>('PUT', '/api/option/', { key, value })]) {
        expect(reply.code, key).to.equal('confirmation_needed');
        expect(reply.data.effects, key).to.have.length(1);
        expect(reply.data.effects[0]).to.match(effect);
        expect(reply.message).to.contain(reply.data.effects[0]);
      }
      expect((await ask(key, value, { 'accept-language': 'zh' })).data.effects[0], key).to.match(/^[^a-z]*(分组|gold|1 个)/);
      expect(await textOf(key), key).to.equal(before);
    }
    expect((await root.send('POST', '/api/option/rest_model_ratio')).code).to.equal('confirmation_needed');
    await put('GroupRatio', '{"default":1,"gold":0.6}'); // nobody is in the group that goes, and a price that changes is no price that vanishes
    for (const [key, value] of cases) await root.ok('PUT', '/api/option/', { key, value, confirm: true });
    await root.ok('POST', '/api/option/rest_model_ratio?confirm=true');
    await User.updateOne({ id: user.id }, { githubId: 'g', $unset: { passwordHash: 1 } });
    await put('GitHubClientId', 'id');
    await put('GitHubClientSecret', 'secret');
    await put('GitHubOAuthEnabled', 'true');
    expect((await ask('GitHubOAuthEnabled', 'false')).data.effects).to.deep.equal(['1 accounts can sign in by GitHub only']);
  });

  it('cannot lock out whoever changes the server address', async () => {
    const ask = (host: string, method = 'GET', body?: object, path = '/api/option/') =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { host, cookie: tollgate.root.cookie ?? '', 'new-api-user': '1', 'content-type': 'application/json' };
        const { hostname, port } = new URL(tollgate.origin);
        const sent = httpRequest({ hostname, port, method, path, headers }, (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode));
        });
        sent.on('error', reject).end(body && JSON.stringify(body));
      });
    const change = (host: string, value: string) => ask(host, 'PUT', { key: 'ServerAddress', value });
    await put('ServerAddress', 'https://old.example.com');
    expect(await change('old.example.com', 'https://typo.example.com')).to.equal(200);
    expect(await ask('old.example.com', 'GET', undefined, '/api/pricing')).to.equal(200);
    await tollgate.restart();
    expect(await change('old.example.com', 'https://new.example.com:8443')).to.equal(200);
    expect(await ask('typo.example.com')).to.equal(421);
    for (const host of ['old.example.com', 'new.example.com:8443']) expect(await ask(host), host).to.equal(200);
    expect(await textOf('FormerServerAddress')).to.equal('');
    expect(await ask('old.example.com')).to.equal(421);
    await put('ServerAddress', '');
  });

  async function put(key: string, value: string): Promise<void> {
    await tollgate.root.ok('PUT', '/api/option/', { key, value });
  }

  async function textOf(key: string): Promise<string | undefined> {
    return (await tollgate.root.ok<OptionView[]>('GET', '/api/option/')).find((option) => option.key === key)?.value;
  }
});
