import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { BudgetView, JobsView } from '@tollgate/contracts';
import { ChannelStats, channelStatsId, rows, User } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { Queue } from 'bullmq';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type Board, openBoard, queueName, queuePrefix } from '../src/jobs/board.ts';
import { noticeFailingChannels, warnLowBalances } from '../src/jobs/list.ts';
import { startConsole, type TestConsole, type Visitor } from './support/console.ts';
import { forgetLimits } from './support/limits.ts';
import { type MailServer, mailAccount, startMailServer } from './support/mail-server.ts';
import { setOptions } from './support/options.ts';

interface Called {
  headers: IncomingHttpHeaders;
  path: string;
  body: string;
}

describe('notices', () => {
  let tollgate: TestConsole;
  let mails: MailServer;
  let redis: Redis;
  let board: Board;
  let queue: Queue;
  let hook: { url: string; calls: Called[]; answers: { status: number; body: string }[]; close(): void };

  before(async () => {
    mails = await startMailServer();
    hook = await startHook();
    tollgate = await startConsole({ API_REQUESTS_PER_MINUTE: '0', EGRESS_ALLOW: '127.0.0.1' });
    redis = new Redis(tollgate.redisUrl);
    board = openBoard(redis);
    queue = new Queue(queueName, { connection: redis, prefix: queuePrefix });
    const options = { SMTPServer: '127.0.0.1', SMTPPort: String(mails.port), SMTPAccount: mailAccount.user, SMTPToken: mailAccount.pass };
    await setOptions(tollgate, { ...options, ServerAddress: 'https://site.example' });
  });
  beforeEach(() => Promise.all(['notices', 'critical'].map((name) => forgetLimits(tollgate, name))));
  after(async () => {
    await Promise.all([board.close(), queue.close()]);
    redis.disconnect();
    await tollgate.close();
    await mails.close();
    hook.close();
  });

  const settings = (user: Visitor, body: object, headers = {}) =>
    user.send('PUT', '/api/user/setting', { notify_type: 'email', quota_warning_threshold: 500, ...body }, headers);
  const hooked = (change = {}) => ({ notify_type: 'webhook', webhook_url: hook.url, webhook_secret: 'canary-hook', ...change });
  /** As billing does when it has charged a call, and then the job that comes every 15 s. */
  const charged = async (...users: Visitor[]) => {
    for (const { id } of users) await redis.hset('{charged}:balances', id, 0);
    await board.start(warnLowBalances, {});
    await eventually(async () => expect(await redis.exists('{charged}:balances', '{charged}:balances:taken')).to.equal(0), {
      timeoutMs: 30_000, // a job that is still running is started again by its schedule only
    });
  };
  const mailsTo = (address: string) => mails.received.filter(({ to }) => to.includes(address));
  const addQuota = (user: Visitor, quota: number) => tollgate.root.ok('PUT', '/api/user/', { id: user.id, add_quota: quota });
  const jobsWith = async (state: string) => {
    const { items } = await tollgate.root.ok<JobsView>('GET', '/api/job');
    return items.filter((item) => item.name === 'send-notice' && item.state === state);
  };

  it('of a budget come at 80 and 100 percent, once in its window, and again for a raised amount', async () => {
    const user = await tollgate.newUser();
    await settings(user, { notification_email: 'budget@example.com' });
    const budget = { name: 'Team', subject: 'user', amount: 1_000, unit: 'tokens', window: 'month' };
    const { id } = await user.ok<BudgetView>('POST', '/api/budget/', budget);
    const row = { budgetId: String(id), payer: user.id, from: new Date(), until: new Date(Date.now() + 3_600_000), version: 1, marks: {} };
    await rows.budgetBuckets().insertOne({ _id: `${id}|${user.id}|1`, ...row, quota: 1, requests: 1, tokens: 850 });
    const subjects = () =>
      mailsTo('budget@example.com')
        .map(({ subject }) => subject)
        .filter((subject) => subject.includes('budget'));
    const charge = async (tokens: number) => {
      await rows.budgetBuckets().updateOne({ budgetId: String(id) }, { $set: { tokens } });
      await redis.sadd('{charged}:budgets', `${id}|${user.id}`);
      await charged(user);
      const left = () => redis.exists('{charged}:budgets', '{charged}:budgets:taken');
      await eventually(async () => expect(await left()).to.equal(0), { timeoutMs: 30_000 });
    };
    for (const tokens of [850, 1_000]) await charge(tokens);
    await eventually(() => expect(subjects()).to.have.length(2));
    expect(subjects()).to.have.members(['Tollgate: A budget is filling up', 'Tollgate: A budget is used up']);
    const texts = mailsTo('budget@example.com').map(({ text }) => text);
    expect(texts.join()).to.include('Budget Team: 85 % used (850 tokens of 1000 tokens).');
    await forgetLimits(tollgate, 'notices');
    await user.ok('PUT', '/api/budget/', { id, amount: 1_100 });
    await charge(1_000);
    await eventually(() => expect(subjects()).to.have.length(3));
  });

  it('of a low balance come by mail in the language of the settings, once in two hours; of an empty one once more', async () => {
    const [user, rich, other] = [await tollgate.newUser(), await tollgate.newUser(), await tollgate.newUser()];
    await settings(user, { notification_email: 'low@example.com' }, { 'accept-language': 'zh' });
    await settings(rich, { notification_email: 'rich@example.com' });
    await settings(other, { notification_email: 'other@example.com', quota_warning_threshold: 100_000 });
    await Promise.all([addQuota(user, 400), addQuota(rich, 500), addQuota(other, 99_999)]);
    await charged(user, rich, other);
    await eventually(() => expect(mailsTo('low@example.com')).to.have.length(1));
    const [mail] = mailsTo('low@example.com');
    expect(mail?.subject).to.equal('Tollgate: 您的额度即将用尽');
    expect(mail?.text.trim()).to.equal('您的剩余额度为 $0.000800，为避免影响使用，请及时充值：https://site.example/topup');
    await eventually(() => expect(mailsTo('other@example.com')[0]?.subject).to.equal('Tollgate: Your quota is almost depleted'));

    await charged(user);
    await addQuota(user, -400);
    await charged(user);
    await charged(user);
    await eventually(() => expect(mailsTo('low@example.com').map(({ subject }) => subject)).to.include('Tollgate: 您的额度已用尽'));
    expect(await redis.ttl(`warned:${user.id}:quota_gone`)).to.be.within(7100, 7200);
    await eventually(async () => expect([...(await jobsWith('running')), ...(await jobsWith('waiting'))]).to.deep.equal([]));
    expect(mailsTo('low@example.com')).to.have.length(2);
    expect(mailsTo('rich@example.com')).to.deep.equal([]);
    await redis.pexpire(`warned:${user.id}:quota_gone`, 1); // as two hours later
    await forgetLimits(tollgate, 'notices');
    await eventually(async () => expect(await redis.exists(`warned:${user.id}:quota_gone`)).to.equal(0));
    await charged(user);
    await eventually(() => expect(mailsTo('low@example.com')).to.have.length(3));
    expect(mailsTo('low@example.com').at(-1)?.subject).to.equal('Tollgate: 您的额度已用尽');
  });

  it('come in both languages to whoever has chosen none, by the site’s own threshold; to nobody without an address', async () => {
    const [user, silent] = [await tollgate.newUser(), await tollgate.newUser()];
    await User.updateOne({ id: user.id }, { $set: { email: 'both@example.com' } });
    await addQuota(user, 999);
    await charged(user, silent);
    await eventually(() => expect(mailsTo('both@example.com')).to.have.length(1));
    expect(mailsTo('both@example.com')[0]?.subject).to.equal('Tollgate: Your quota is almost depleted · 您的额度即将用尽');
    expect(mailsTo('both@example.com')[0]?.text).to.contain('Top up in time').and.to.contain('请及时充值');
    expect(await redis.keys(`limit:notices:${silent.id}:*`)).to.deep.equal([]);
  });

  it('go to a webhook through the worker, where there is one, with its key; what it asks is checked here', async () => {
    const user = await tollgate.newUser({ admin: true });
    await setOptions(tollgate, { WorkerUrl: `http://127.0.0.1:${new URL(hook.url).port}/worker`, WorkerValidKey: 'worker-key' });
    hook.calls.length = 0;
    const far = 'https://hooks.example.invalid/me';
    const test = (webhook_url: string) =>
      user.send('POST', '/api/user/setting/test', { webhook_url, webhook_secret: 'canary-hook', webhook_form: 'json' });
    expect(await test(far)).to.include({ success: true });
    const [call] = hook.calls;
    expect(call?.path).to.equal('/worker/');
    const asked = JSON.parse(call?.body ?? '') as {
      url: string;
      key: string;
      method: string;
      headers: Record<string, string>;
      body: object;
    };
    expect(asked).to.include({ url: far, key: 'worker-key', method: 'POST' });
    const signature = createHmac('sha256', 'canary-hook').update(JSON.stringify(asked.body)).digest('hex');
    expect(asked.headers['x-webhook-signature']).to.equal(signature);
    expect(asked.headers.authorization).to.equal('Bearer canary-hook');
    expect((await test('https://10.0.0.1/me')).success).to.equal(false);
    expect(hook.calls).to.have.length(1);
    await setOptions(tollgate, { WorkerUrl: '', WorkerValidKey: '' });
  });

  it('go to a webhook, signed, and again while it fails; the secret stands in no job', async () => {
    const user = await tollgate.newUser({ admin: true });
    expect((await settings(user, hooked())).success).to.equal(true);
    hook.answers.push({ status: 500, body: '' });
    hook.calls.length = 0;
    await charged(user);
    await eventually(async () => expect(await jobsWith('delayed')).to.have.length(1));
    const [job] = await jobsWith('delayed');
    expect(job?.reason).to.equal('The webhook call failed: it answered with status 500');
    for (const key of await redis.keys('jobs:*')) {
      if ((await redis.type(key)) === 'hash') expect(JSON.stringify(await redis.hgetall(key)), key).not.to.contain('canary-hook');
    }
    await (await queue.getJob(job?.id ?? ''))?.promote(); // rather than wait for the pause to end
    await eventually(() => expect(hook.calls).to.have.length(2));
    const [, { headers, body }] = hook.calls as [Called, Called];
    const sent = JSON.parse(body);
    expect(sent).to.include({ type: 'quota_exceed', title: 'Your quota is depleted' });
    expect(sent.content.split('{{value}}')).to.have.length(sent.values.length + 1);
    expect(sent.values).to.deep.equal(['$0.000000', 'https://site.example/topup']);
    expect(sent.timestamp).to.be.closeTo(Date.now() / 1000, 30);
    expect(headers['x-webhook-signature']).to.equal(createHmac('sha256', 'canary-hook').update(body).digest('hex'));
    expect(headers.authorization).to.equal('Bearer canary-hook');
  });

  it('are tried on a webhook at once, in the forms of robots too, and what fails is said without its address', async () => {
    const user = await tollgate.newUser({ admin: true });
    const test = (body: object, headers = {}) => user.send('POST', '/api/user/setting/test', body, headers);
    hook.calls.length = 0;
    expect((await test({ webhook_url: `${hook.url}/x?access_token=t`, webhook_form: 'wecom' })).message).to.equal(
      'The test notice was sent',
    );
    expect(JSON.parse(hook.calls[0]?.body ?? '')).to.deep.equal({
      msgtype: 'text',
      text: { content: 'A test notice\nThe notices of Tollgate arrive here.' },
    });
    const ding = { webhook_url: `${hook.url}/x?access_token=t`, webhook_form: 'dingtalk', webhook_secret: 'SEC1' };
    expect((await test(ding, { 'accept-language': 'zh' })).message).to.equal('测试通知已发送');
    const { searchParams } = new URL(hook.calls[1]?.path ?? '', hook.url);
    const timestamp = searchParams.get('timestamp') ?? '';
    expect(searchParams.get('access_token')).to.equal('t');
    expect(searchParams.get('sign')).to.equal(createHmac('sha256', 'SEC1').update(`${timestamp}\nSEC1`).digest('base64'));
    expect(hook.calls[1]?.headers.authorization).to.equal(undefined);
    hook.answers.push({ status: 200, body: '{"errcode":310000,"errmsg":"sign not match"}' });
    expect((await test(ding)).message).to.equal('The webhook call failed: it answered with errcode 310000');
    hook.answers.push({ status: 200, body: 'x'.repeat(100_000) });
    expect(await test(ding)).to.include({ status: 200, message: 'The webhook call failed: its answer cannot be read' });

    await settings(user, hooked());
    await test({ webhook_url: hook.url });
    expect(hook.calls.at(-1)?.headers['x-webhook-signature'], 'by the stored secret').to.be.a('string');
    await test({ webhook_url: `${hook.url}/elsewhere` });
    expect(hook.calls.at(-1)?.headers['x-webhook-signature'], 'a stored secret is for the stored address').to.equal(undefined);

    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    expect((await test({ webhook_url: `http://127.0.0.1:${port}/` })).message, 'one that never answers').to.match(
      /^The webhook call failed/,
    );
    silent.closeAllConnections();
    silent.close();

    for (const url of ['http://10.0.0.1/', 'https://169.254.169.254/latest', 'https://[::1]/', 'ftp://example.com', 'http://example.com/'])
      expect((await test({ webhook_url: url })).success, url).to.equal(false);
    const plain = await tollgate.newUser();
    expect((await plain.send('POST', '/api/user/setting/test', { webhook_url: hook.url })).code).to.equal('egress_refused');
  });

  it('are sent as Feishu, Slack, Discord, Telegram, Bark, Gotify and ntfy read them, and a refusal with status 200 counts', async () => {
    const user = await tollgate.newUser({ admin: true });
    const test = (form: string, path: string, secret = '') =>
      user.send('POST', '/api/user/setting/test', { webhook_url: hook.url + path, webhook_form: form, webhook_secret: secret });
    const sent = async (...asked: Parameters<typeof test>) => {
      expect((await test(...asked)).message, asked[0]).to.equal('The test notice was sent');
      const { path = '', body = '', headers = {} } = hook.calls.at(-1) ?? {};
      return { path, headers, body: JSON.parse(body) as Record<string, unknown> };
    };
    const [title, message] = ['A test notice', 'The notices of Tollgate arrive here.'];
    const text = `${title}\n${message}`;

    const feishu = await sent('feishu', '/open-apis/bot/v2/hook/x', 'SEC1');
    const { timestamp, sign } = feishu.body;
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).to.be.below(60);
    expect(feishu.body).to.deep.equal({ timestamp, sign, msg_type: 'text', content: { text } });
    expect(sign).to.equal(createHmac('sha256', `${timestamp}\nSEC1`).digest('base64'));
    expect((await sent('slack', '/services/T/B/x')).body).to.deep.equal({ text });
    expect((await sent('discord', '/api/webhooks/1/x')).body).to.deep.equal({ content: text, allowed_mentions: { parse: [] } });
    expect(await sent('telegram', '/bot1:x/sendMessage?chat_id=-100')).to.deep.include({
      path: '/bot1:x/sendMessage',
      body: { chat_id: '-100', text },
    });
    expect((await sent('bark', '/key')).body).to.deep.equal({ title, body: message });
    const gotify = await sent('gotify', '/push', 'Atoken');
    expect(gotify).to.deep.include({ path: '/push/message', body: { title, message, priority: 5 } });
    expect(gotify.headers).to.include({ 'x-gotify-key': 'Atoken' });
    const ntfy = await sent('ntfy', '/at/alerts', 'tk_1');
    expect(ntfy).to.deep.include({ path: '/at/', body: { topic: 'alerts', title, message } });
    expect(ntfy.headers).to.include({ authorization: 'Bearer tk_1' });

    for (const [form, path, answer, field] of [
      ['feishu', '/x', '{"code":19021,"msg":"sign match fail"}', 'code 19021'],
      ['telegram', '/bot1/sendMessage?chat_id=1', '{"ok":false,"error_code":400}', 'ok false'],
      ['bark', '/x', '{"code":400,"message":"no device"}', 'code 400'],
    ] as const) {
      hook.answers.push({ status: 200, body: answer });
      expect((await test(form, path)).message, form).to.equal(`The webhook call failed: it answered with ${field}`);
    }
    expect((await test('telegram', '/bot1/sendMessage')).message).to.contain('must have a chat_id in its query');
  });

  it('tell root when a channel goes off and on by a rule, and of the end of a test that was asked for; within the limit', async () => {
    await forgetLimits(tollgate, 'notices');
    await tollgate.root.ok('PUT', '/api/user/setting', { quota_warning_threshold: 1, ...hooked() });
    await setOptions(tollgate, {
      AutomaticDisableChannelEnabled: 'true',
      AutomaticEnableChannelEnabled: 'true',
      ChannelDisableThreshold: '0',
    });
    hook.calls.length = 0;
    const titles = () => hook.calls.filter(({ path }) => path === '/').map(({ body }) => JSON.parse(body));
    const channel = { name: 'main', type: 1, key: 'sk-x', base_url: `${hook.url}/upstream`, models: 'gpt-4o' };
    await tollgate.root.ok('POST', '/api/channel/', channel);
    const failing = { status: 401, body: '{"error":{"message":"bad key","code":"invalid_api_key"}}' };
    hook.answers.push(failing);
    await tollgate.root.ok('GET', '/api/channel/test');
    await eventually(() => expect(titles()).to.have.length(2));
    const off = titles().find(({ type }) => type === 'channel_update');
    expect(off).to.include({ title: 'A channel was switched off' });
    expect(off.values).to.deep.equal(['#1 main', 'bad key']);
    expect(titles().find(({ type }) => type === 'channel_test')?.values).to.deep.equal(['1', '1']);
    await eventually(async () => expect((await tollgate.root.send('GET', '/api/channel/test')).success).to.equal(true));
    await eventually(() => expect(titles().map(({ title }) => title)).to.include('A channel was switched on again'));
    await eventually(() => expect(titles()).to.have.length(4));
    hook.answers.push(failing);
    await eventually(async () => expect((await tollgate.root.send('GET', '/api/channel/test')).success).to.equal(true));
    await eventually(async () => {
      const { items } = await tollgate.root.ok<{ items: { status: number }[] }>('GET', '/api/channel/');
      expect(items[0]?.status).to.equal(3);
    });
    await eventually(async () => expect([...(await jobsWith('running')), ...(await jobsWith('waiting'))]).to.deep.equal([]));
    expect(titles(), 'two of a kind in ten minutes').to.have.length(4);
  });

  it('tell root once of an enabled channel that mostly fails, and of no other', async () => {
    await tollgate.root.ok('PUT', '/api/user/setting', { quota_warning_threshold: 1, ...hooked() });
    hook.calls.length = 0;
    const at = Date.now() - 60_000;
    const channels = { broken: { errors: 12 }, healthy: { errors: 2 }, off: { errors: 12, status: 2 }, rare: { errors: 3, attempts: 3 } };
    const ids: number[] = [];
    for (const [name, { errors, attempts = 12, status = 1 }] of Object.entries<{ errors: number; attempts?: number; status?: number }>(
      channels,
    )) {
      const fields = { name, type: 1, key: 'sk-x', base_url: hook.url, models: 'gpt-4o' };
      const [made] = await tollgate.root.ok<{ id: number }[]>('POST', '/api/channel/', fields);
      const id = made?.id ?? 0;
      ids.push(id);
      if (status !== 1) await tollgate.root.ok('PUT', '/api/channel/', { id, status });
      const row = { _id: channelStatsId('minute', at, { channelId: id, model: 'm' }), period: 'minute', at: new Date(at - (at % 60_000)) };
      await ChannelStats.create({ ...row, channelId: id, model: 'm', attempts, failures: { server: errors } });
    }
    for (let run = 0; run < 2; run += 1) {
      await board.start(noticeFailingChannels, {});
      await eventually(async () => expect(await redis.exists(`warned:channel:${ids[0]}:failing`)).to.equal(1));
    }
    await eventually(() => expect(hook.calls.map(({ body }) => JSON.parse(body).values)).to.deep.equal([[`#${ids[0]} broken`, '12 / 12']]));
    await tollgate.root.ok('POST', '/api/channel/batch', { ids });
  });
});

/** A webhook, and an upstream: answers 200, or what is next in `answers`. */
async function startHook() {
  const calls: Called[] = [];
  const answers: { status: number; body: string }[] = [];
  const completion = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] };
  const server = createServer(async (request, response) => {
    calls.push({ headers: request.headers, path: request.url ?? '', body: await text(request) });
    const isUpstream = request.url?.startsWith('/upstream');
    const next = !isUpstream || answers[0]?.status === 401 ? answers.shift() : undefined;
    response.writeHead(next?.status ?? 200, { 'content-type': 'application/json' });
    response.end(next?.body ?? (isUpstream ? JSON.stringify(completion) : '{"errcode":0}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    calls,
    answers,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
