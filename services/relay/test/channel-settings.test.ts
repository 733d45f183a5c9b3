import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { seal } from '@tollgate/db';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { proxyCredentials, startConnectProxy } from './support/connect-proxy.ts';
import { type Gateway, startGateway, type TestToken, type TestUser } from './support/gateway.ts';

const listening = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

describe('What a channel sets besides', () => {
  let gateway: Gateway;
  let user: TestUser;
  let token: TestToken;
  let channel: number;
  before(async () => {
    gateway = await startGateway();
    channel = await gateway.channel();
    user = await gateway.user();
    token = user.token;
  });
  after(() => gateway.stop());
  const ask = (fields: object = {}) =>
    gateway.post(
      '/v1/chat/completions',
      { model: 'test-model', messages: [{ role: 'user', content: 'hi' }], ...fields },
      { authorization: token.authorization },
    );

  it('its calls go out through its proxy and by no other way', async () => {
    const proxy = await startConnectProxy();
    await gateway.changeChannel(channel, { setting: JSON.stringify({ proxy: seal(proxy.url, 'channel proxy') }) });
    await eventually(async () => {
      expect((await ask()).status).to.equal(200);
      expect(proxy.through).to.have.length(1);
    });
    expect((await (await ask({ stream: true })).text()).includes('[DONE]')).to.equal(true);
    expect(proxy.through).to.deep.equal([`127.0.0.1:${gateway.provider.port} ${proxyCredentials}`]);
    proxy.close();
    await gateway.changeChannel(channel, { setting: JSON.stringify({ proxy: 'http://127.0.0.1:9' }) });
    await eventually(async () => expect((await ask()).status).to.equal(502));
    const calls = gateway.provider.calls.length;
    expect(await (await ask()).text()).to.not.include('127.0.0.1');
    expect(gateway.provider.calls.length).to.equal(calls);
    await gateway.changeChannel(channel, { setting: '' });
  });

  it('the effort that its model’s name or its fields say is the one that is told, not the caller’s', async () => {
    const effort = async (channelFields: Record<string, unknown>, model: string) => {
      await gateway.changeChannel(channel, channelFields);
      await eventually(async () => {
        expect((await ask({ model: 'other-model', reasoning_effort: 'low' })).status).to.equal(200);
        expect(gateway.provider.lastCall().model).to.equal(model);
      });
      const { json } = gateway.provider.lastCall();
      const told = (await gateway.events(user)).filter(({ upstreamModel }) => upstreamModel === model);
      return [(json as { reasoning_effort?: string }).reasoning_effort, ...told.map(({ reasoningEffort }) => reasoningEffort)];
    };
    expect(await effort({ modelMapping: '{"other-model":"o3-mini-high"}' }, 'o3-mini')).to.deep.equal(['high', 'high']);
    const setting = JSON.stringify({ param_override: { reasoning_effort: 'medium' } });
    expect(await effort({ modelMapping: '{"other-model":"set"}', setting }, 'set')).to.deep.equal(['medium', 'medium']);
    expect(await effort({ modelMapping: '{"other-model":"plain"}', setting: '' }, 'plain')).to.deep.equal(['low', 'low']);
    await gateway.changeChannel(channel, { modelMapping: '' });
  });

  it('headers and fields are set otherwise, but never whose they are', async () => {
    const setting = { header_override: { 'X-Team': 'blue', 'User-Agent': 'other' }, param_override: { temperature: 0.2, safe_mode: true } };
    await gateway.changeChannel(channel, { setting: JSON.stringify(setting) });
    await eventually(async () => {
      expect((await ask({ temperature: 1 })).status).to.equal(200);
      expect(gateway.provider.lastCall().headers).to.have.property('x-team');
    });
    const { headers, json } = gateway.provider.lastCall();
    expect(headers).to.include({ 'x-team': 'blue', 'user-agent': 'other', authorization: 'Bearer upstream-key-1' });
    expect(json).to.include({ temperature: 0.2, safe_mode: true, model: 'test-model' });
    await gateway.changeChannel(channel, { setting: '' });
  });
});

describe('Files that a request names by address', () => {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  let gateway: Gateway;
  let token: TestToken;
  let files: Server;
  let base: string;
  const asked: string[] = [];
  before(async () => {
    gateway = await startGateway();
    files = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/page') return void response.setHeader('content-type', 'text/html').end('<html>');
      if (request.url === '/gone') return void response.writeHead(404).end();
      response.setHeader('content-type', 'image/png').end(request.url === '/large' ? Buffer.alloc(21 << 20) : png);
    });
    base = `http://127.0.0.1:${await listening(files)}`;
    await gateway.channel({ type: 24, models: ['gemini-2.0-flash'] });
    await gateway.channel({ type: 24, models: ['gemini-2.0-flash'] });
    await gateway.options({ SelfUseModeEnabled: 'true', RetryTimes: '2' });
    token = (await gateway.user()).token;
  });
  after(async () => {
    await gateway.stop();
    files.closeAllConnections();
    files.close();
  });
  const ask = (...urls: string[]) =>
    gateway.post(
      '/v1/chat/completions',
      { model: 'gemini-2.0-flash', messages: [{ role: 'user', content: urls.map((url) => ({ type: 'image_url', image_url: { url } })) }] },
      { authorization: token.authorization },
    );

  it('are fetched once a call, however many channels are asked', async () => {
    asked.length = 0;
    gateway.provider.answersNext({ status: 500 });
    await ask(`${base}/a.png`, `${base}/b.png`, `${base}/a.png`);
    expect(asked.sort()).to.deep.equal(['/a.png', '/b.png']);
    expect(gateway.provider.calls.length).to.be.at.least(2);
    expect(gateway.provider.lastCall().body).to.include(png.toString('base64'));
  });

  it('that are none, too large, gone, too many or inside are refused, and nobody is asked', async () => {
    const calls = gateway.provider.calls.length;
    const many = Array.from({ length: 17 }, (_one, at) => `${base}/${at}.png`);
    for (const [urls, words] of [
      [[`${base}/page`], 'could not be fetched'],
      [[`${base}/gone`], 'could not be fetched'],
      [[`${base}/large`], 'could not be fetched'],
      [['http://169.254.169.254/latest/meta-data'], 'could not be fetched'],
      [['http://10.0.0.1/a.png'], 'could not be fetched'],
      [many, 'at most 16'],
    ] as const) {
      const answer = await ask(...urls);
      expect(answer.status, words).to.equal(400);
      expect(await answer.text()).to.include(words);
    }
    expect(gateway.provider.calls.length).to.equal(calls);
  });

  it('are fetched by the worker, in its words and with its key, and what leads inside is not asked of it', async () => {
    const worker: { path: string; body: Record<string, unknown> }[] = [];
    const server = createServer(async (request, response) => {
      worker.push({ path: request.url ?? '', body: JSON.parse(await text(request)) as Record<string, unknown> });
      response.setHeader('content-type', 'image/png').end(png);
    });
    const { WorkerUrl, WorkerValidKey } = { WorkerUrl: `http://127.0.0.1:${await listening(server)}`, WorkerValidKey: 'worker-key' };
    try {
      await gateway.options({ WorkerUrl, WorkerValidKey: seal(WorkerValidKey, 'option:WorkerValidKey') });
      const far = 'https://pictures.example.invalid/far.png';
      await eventually(async () => expect((await ask(far)).status).to.equal(200), { timeoutMs: 20_000 });
      expect(worker[0]).to.deep.equal({ path: '/', body: { url: far, key: 'worker-key' } });
      expect(gateway.provider.lastCall().body).to.include(png.toString('base64'));

      worker.length = 0;
      for (const url of [
        'https://169.254.169.254/latest/meta-data',
        'https://[::ffff:10.0.0.1]/a.png',
        'http://pictures.example.invalid/plain.png',
        'https://user:secret@pictures.example.invalid/a.png',
      ]) {
        const answer = await ask(url);
        expect(answer.status, url).to.equal(400);
        expect(await answer.text(), url).to.include('could not be fetched');
      }
      expect(worker).to.deep.equal([]);
      asked.length = 0;
      expect((await ask(`${base}/near.png`)).status).to.equal(200);
      expect(asked, 'what the operator named is near').to.deep.equal(['/near.png']);
    } finally {
      await gateway.options({ WorkerUrl: '', WorkerValidKey: '' });
      server.closeAllConnections();
      server.close();
    }
  });
});
