import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rows } from '@tollgate/db';
import {
  eventually,
  type FakeTaskProvider,
  hostileUrls,
  namedHost,
  startFakeTaskProvider,
  startTrap,
  withHostileNames,
} from '@tollgate/testing';
import { expect } from 'chai';
import { errorOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

/** An address of this machine that callers may name; no hostile one. */
const openToUsers = '127.77.0.1';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

describe('Addresses that lead inside', () => {
  let gateway: Gateway;
  let user: TestUser;
  let trap: Awaited<ReturnType<typeof startTrap>>;
  let names: ReturnType<typeof withHostileNames>;
  let drawing: FakeTaskProvider;
  let near: Server;
  let nearPort: number;
  let hostile: string[];
  const asked: string[] = [];
  const named = (url: string) => url.replace('127.0.0.1', namedHost);

  before(async () => {
    names = withHostileNames();
    trap = await startTrap();
    const { read, lookedUp } = hostileUrls({ port: trap.port, scheme: 'http' });
    hostile = [...read, ...lookedUp];
    near = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      request.resume();
      if (request.url === '/away.png') return void response.writeHead(302, { location: `http://127.0.0.1:${trap.port}/` }).end();
      if (request.url === '/missing') return void response.writeHead(404).end();
      if (request.url === '/text') return void response.setHeader('content-type', 'text/html').end('<p>inner</p>');
      response.setHeader('content-type', 'image/png').end(png);
    });
    near.listen(0, '0.0.0.0');
    await once(near, 'listening');
    nearPort = (near.address() as AddressInfo).port;
    drawing = await startFakeTaskProvider();
    gateway = await startGateway({ EGRESS_ALLOW: namedHost, EGRESS_ALLOW_USERS: openToUsers });
    user = await gateway.user({ balance: 1e12 });
    await gateway.options({ RetryTimes: '0', SelfUseModeEnabled: 'true' });
    const { url } = gateway.provider;
    await gateway.channels([
      { baseUrl: named(url), models: ['near'] },
      { baseUrl: named(url), type: 24, models: ['inline'] },
      { baseUrl: named(drawing.url), type: 5, key: 'mj-key', models: ['mj_imagine'] },
      ...hostile.flatMap((address, at) => [
        { baseUrl: address, models: [`base-${at}`] },
        { baseUrl: named(url), models: [`proxy-${at}`], setting: JSON.stringify({ proxy: address }) },
      ]),
    ]);
    await untilServed(gateway, user.token, `base-${hostile.length - 1}`);
  });
  after(async () => {
    await gateway?.stop();
    names.restore();
    await drawing.close();
    near.closeAllConnections();
    near.close();
    await trap.close();
  });
  beforeEach(() => {
    asked.length = 0;
    gateway.provider.reset();
  });

  const chat = (model: string, content: unknown = 'Hi') =>
    gateway.post('/v1/chat/completions', question({ model, messages: [{ role: 'user', content }] }), {
      authorization: user.token.authorization,
    });
  const withImage = (url: string) => chat('inline', [{ type: 'image_url', image_url: { url } }]);

  async function expectRefused(answer: Response, what: string): Promise<void> {
    expect(answer.status, what).to.be.within(400, 503).and.not.equal(500);
    const { message } = await errorOf(answer);
    expect(message, what)
      .to.match(/\w+ \w+/)
      .and.not.match(/ECONN|ENOTFOUND|169\.254/);
  }
  async function expectNobodyAsked(): Promise<void> {
    expect(trap.connections()).to.equal(0);
    expect(gateway.provider.calls).to.have.length(0);
    expect(asked).to.deep.equal([]);
    await eventually(async () => expect(await gateway.held(user)).to.equal(0));
  }

  const withoutId = (message: string) => message.replace(/ \(request id: .*/, '');

  it('are refused as the base of a channel, and nobody there is connected to', async () => {
    expect(hostile.length).to.be.at.least(60);
    for (const [at, url] of hostile.entries()) await expectRefused(await chat(`base-${at}`), url);
    await expectNobodyAsked();
  });

  it('are refused as the proxy of a channel', async () => {
    for (const [at, url] of hostile.entries()) if (!url.includes('@')) await expectRefused(await chat(`proxy-${at}`), url);
    await expectNobodyAsked();
  });

  it('are refused as a file that a request names, in one text for every reason', async () => {
    const own = [`http://${namedHost}:${nearPort}/1.png`, `http://127.0.0.1:${nearPort}/1.png`, gateway.provider.url];
    const closed = [`http://${openToUsers}:1/`, `http://nowhere.example:${nearPort}/`];
    const texts = new Set<string>();
    for (const url of [...hostile, ...own, ...closed]) {
      const answer = await withImage(url);
      expect(answer.status, url).to.equal(400);
      const { message } = await errorOf(answer);
      if (/^https?:\/\//i.test(url)) texts.add(withoutId(message));
    }
    await expectNobodyAsked();
    for (const path of ['/away.png', '/text', '/missing']) {
      const { message } = await errorOf(await withImage(`http://${openToUsers}:${nearPort}${path}`));
      texts.add(withoutId(message));
    }
    expect([...texts])
      .to.have.length(1)
      .and.match(/could not be fetched/);
  });

  it('are refused as the picture of a task, whose signed link everybody may call', async () => {
    const headers = { authorization: user.token.authorization };
    const { result } = (await (await gateway.post('/mj/submit/imagine', { prompt: 'x' }, headers)).json()) as { result: string };
    const shown = (imageUrl: string) =>
      rows.tasks().updateOne({ upstreamId: result }, { $set: { status: 'SUCCESS', progress: '100%', imageUrl }, $unset: { isOpen: '' } });
    await shown(`http://${namedHost}:${nearPort}/1.png`);
    const { imageUrl } = (await (await fetch(`${gateway.url}/mj/task/${result}/fetch`, { headers })).json()) as { imageUrl: string };
    const { pathname, search } = new URL(imageUrl);
    const picture = () => fetch(gateway.url + pathname + search);
    for (const url of [...hostile, `http://${namedHost}:${nearPort}/away.png`]) {
      await shown(url);
      expect((await picture()).status, url).to.equal(502);
    }
    expect(asked, 'a redirect is not followed').to.deep.equal(['GET /away.png']);
    expect(trap.connections()).to.equal(0);
    await shown(`http://${namedHost}:${nearPort}/1.png`);
    expect(Buffer.from(await (await picture()).arrayBuffer())).to.deep.equal(png);
  });

  it('are reached when EGRESS_ALLOW names their host, as far as that host and no further', async () => {
    expect((await chat('near')).status).to.equal(200);
    expect((await withImage(`http://${openToUsers}:${nearPort}/1.png`)).status, 'of its own setting').to.equal(200);
    expect(asked).to.deep.equal(['GET /1.png']);
    await expectRefused(await withImage(`http://${openToUsers}:${nearPort}/away.png`), 'a redirect');
    expect(trap.connections()).to.equal(0);
  });
});
