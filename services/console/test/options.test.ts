import type { OptionView, StatusView } from '@tollgate/contracts';
import { AuditLog, OptionModel } from '@tollgate/db';
import { expect } from 'chai';
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
      ['NoSuchOption', 'x', /There is no option NoSuchOption/],
      ['__proto__', 'x', /There is no option __proto__/],
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
        `${key} cannot be enabled before ${needed} is set`,
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

  async function put(key: string, value: string): Promise<void> {
    await tollgate.root.ok('PUT', '/api/option/', { key, value });
  }

  async function textOf(key: string): Promise<string | undefined> {
    return (await tollgate.root.ok<OptionView[]>('GET', '/api/option/')).find((option) => option.key === key)?.value;
  }
});
