import { Buffer } from 'node:buffer';
import { Channel, rows, seal, User } from '@tollgate/db';
import {
  eventually,
  type FakeProvider,
  type FakeTaskProvider,
  freePort,
  type ServiceProcess,
  sendRaw,
  startFakeProvider,
  startFakeTaskProvider,
} from '@tollgate/testing';
import { expect } from 'chai';
import { redisText } from './support/redis-text.ts';
import { type Drawer, startTaskSite, type TaskSite } from './support/task-site.ts';

const channelKey = 'sk-canaryOfTheChannel0123456789';
const proxyPassword = 'canary-of-the-proxy';

describe('Secrets, over relay, bus, billing and console', function () {
  this.timeout(120_000);
  let site: TaskSite;
  let relay: ServiceProcess;
  let consoleService: ServiceProcess;
  let drawing: FakeTaskProvider;
  let chat: FakeProvider;
  const metricsPorts: number[] = [];

  before(async () => {
    site = await startTaskSite('redis', { logLevel: 'trace' });
    drawing = await startFakeTaskProvider();
    chat = await startFakeProvider();
    const [drawingId = 0] = await site.channels([drawing.url]);
    const [chatId = 0, proxiedId = 0] = await site.channels([chat.url, chat.url]);
    const keyed = (id: number) => ({ keySealed: seal(channelKey, `channel:${id}:key`) });
    await Channel.updateOne({ id: drawingId }, { $set: keyed(drawingId) });
    await Channel.updateOne({ id: chatId }, { $set: { type: 1, models: ['gpt-4o'], ...keyed(chatId) } });
    const proxy = seal(`http://me:${proxyPassword}@127.0.0.1:9`, 'channel proxy');
    await Channel.updateOne(
      { id: proxiedId },
      { $set: { type: 1, models: ['gpt-4o-mini'], setting: JSON.stringify({ proxy }), ...keyed(proxiedId) } },
    );
    const started = (['relay', 'billing', 'console'] as const).map(async (service) => {
      const port = await freePort();
      metricsPorts.push(port);
      return site.start(service, { env: { METRICS_PORT: String(port) } });
    });
    [relay, , consoleService] = (await Promise.all(started)) as [ServiceProcess, ServiceProcess, ServiceProcess];
  });
  after(async () => {
    await site?.stop();
    await drawing?.close();
    await chat?.close();
  });

  const answers: string[] = [];
  async function say(url: string, who: Pick<Drawer, 'id' | 'authorization'>, body?: object): Promise<number> {
    const answer = await fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: who.authorization, 'new-api-user': String(who.id), 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    answers.push(await answer.text());
    return answer.status;
  }

  it('stand in no log line, no event, no metric, no row and no answer of theirs, whatever happens', async () => {
    const owner = await site.drawer(1_000_000_000);
    const talk = (fields: object = {}) =>
      say(`${relay.url}/v1/chat/completions`, owner, { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }], ...fields });
    await eventually(async () => expect(await talk()).to.equal(200), { timeoutMs: 30_000 });
    expect(await talk({ stream: true })).to.equal(200);
    expect(await talk({ model: 'gpt-4o-mini' }), 'behind a proxy that is away').to.be.above(499);
    // A provider that repeats the key that it got, as some do.
    const echo = { error: { message: `Incorrect API key provided: ${channelKey}. Bearer ${channelKey}`, type: 'x', code: 'invalid' } };
    chat.answers({ status: 400, json: echo });
    expect(await talk()).to.equal(400);
    chat.answers({ breakAfter: 2, breakBy: 'error' });
    await talk({ stream: true });
    chat.reset();
    await say(`${relay.url}/v1/chat/completions`, { id: 0, authorization: 'Bearer sk-canary-of-nobody' }, { model: 'gpt-4o' });
    const broken = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: ${owner.authorization}\r\nconnection: close\r\n`;
    answers.push(await sendRaw(relay.url, `${broken}content-type: application/json\r\ncontent-length: 9\r\n\r\n{"canary-`));

    expect(await site.imagine(relay, owner)).to.include({ code: 1 });
    drawing.ends(() => ({ status: 'FAILURE', failReason: `refused, your mj-api-secret is ${channelKey}` }));
    const { _id: taskId } = (await rows.tasks().findOne({ userId: owner.id })) ?? { _id: '' };
    await site.redis.publish('task:hints', JSON.stringify({ taskId, upstreamId: '' }));
    await eventually(async () => expect(await rows.tasks().findOne({ _id: taskId })).to.include({ status: 'FAILURE' }), {
      timeoutMs: 30_000,
    });
    await eventually(async () => expect(await rows.usageLogs().findOne({ _id: `task-refund:${taskId}` })).not.to.equal(null), {
      timeoutMs: 30_000,
    });
    for (const path of ['/api/mj/self', '/api/log/self', '/api/user/self', '/api/user/models']) {
      expect(await say(consoleService.url + path, owner), path).to.equal(200);
    }
    await eventually(async () => expect(await rows.usageLogs().countDocuments({ userId: owner.id, type: 2 })).to.be.above(2));
    for (const port of metricsPorts) answers.push(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());

    const redisUrl = `redis://${site.redis.options.host}:${site.redis.options.port}`;
    const seen: Record<string, string> = {
      answered: answers.join('\n'),
      logged: site.logged(),
      'in Redis and on the bus': await redisText(redisUrl),
    };
    for (const collection of (await User.db.db?.collections()) ?? []) {
      seen[`stored in ${collection.collectionName}`] = JSON.stringify(await collection.find({}).toArray());
    }
    expect(seen['in Redis and on the bus']).to.match(/usage\.recorded.*task\.failed|task\.failed.*usage\.recorded/s);
    expect(seen.logged).to.contain('"service":"relay"').and.contain('"service":"billing"').and.contain('"service":"console"');
    const masterKey = Buffer.from(site.masterKey, 'hex');
    const ownKey = owner.authorization.replace('Bearer sk-', '');
    const secrets = [site.masterKey, masterKey.toString('base64'), masterKey.toString('base64url'), ownKey, 'canary'];
    for (const [where, text] of Object.entries(seen)) {
      for (const secret of secrets) {
        const at = text.indexOf(secret);
        expect(at === -1 ? '' : text.slice(Math.max(0, at - 300), at + 60), `${where}: ${secret}`).to.equal('');
      }
    }
  });
});
