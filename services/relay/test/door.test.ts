import { sendRaw } from '@tollgate/testing';
import { expect } from 'chai';
import { errorOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('The door, as HTTP has it', () => {
  let gateway: Gateway;
  let user: TestUser;
  const body = JSON.stringify(question());

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    await gateway.channel();
    await untilServed(gateway, user.token);
  });
  after(() => gateway.stop());
  beforeEach(() => gateway.provider.reset());

  /** A chat call as the bytes of a request that is the last of its connection. */
  const call = (more: string[] = [], { target = '/v1/chat/completions', version = '1.1', close = true } = {}) =>
    [
      `POST ${target} HTTP/${version}`,
      'Host: tollgate',
      `Authorization: ${user.token.authorization}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...(close ? ['Connection: close'] : []),
      ...more,
      '',
      body,
    ].join('\r\n');

  it('passes over a wish for another protocol and answers over this one', async () => {
    const wishes = ['Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA'];
    const answer = await sendRaw(gateway.url, call([...wishes, 'Connection: Upgrade, HTTP2-Settings, close'], { close: false }));
    expect(answer).to.match(/^HTTP\/1\.1 200 /);
  });

  it('takes the address of a request whole, as clients of proxies send it', async () => {
    for (const target of ['http://tollgate.example/v1/chat/completions', 'HTTP://tollgate.example:80/v1/chat/completions?a=1']) {
      expect(await sendRaw(gateway.url, call([], { target })), target).to.match(/^HTTP\/1\.1 200 /);
    }
    expect(await sendRaw(gateway.url, 'GET http://tollgate.example HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')).to.match(
      /^HTTP\/1\.1 404 /,
    );
  });

  it('answers who ends his side once his request is whole', async () => {
    gateway.provider.answers({ delayMs: 300 });
    const answer = await sendRaw(gateway.url, call([], { close: false }), { ends: true });
    expect(answer).to.match(/^HTTP\/1\.1 102 Processing\r\n\r\n/, 'who has left would reset this');
    expect(answer)
      .to.match(/HTTP\/1\.1 200 OK\r\n/)
      .and.include('"usage"');
  });

  it('answers 414 to an address beyond 8 KB, however long', async () => {
    for (const length of [9_000, 15_000, 40_000, 1_000_000]) {
      const answer = await sendRaw(gateway.url, call([], { target: `/v1/models?${'a'.repeat(length)}` }));
      expect(answer, String(length)).to.match(/^HTTP\/1\.1 414 /);
    }
    expect(await sendRaw(gateway.url, call([`X-Long: ${'a'.repeat(40_000)}`]))).to.match(/^HTTP\/1\.1 431 /);
    const shown = await fetch(`${gateway.url}/v1/${'a'.repeat(5_000)}`);
    expect(shown.status).to.equal(404);
    expect((await errorOf(shown)).message).to.have.length.below(400);
  });

  it('reads over the byte order mark before a body, and sends none on', async () => {
    const answer = await gateway.post('/v1/chat/completions', Buffer.from(`\uFEFF${body}`), { authorization: user.token.authorization });
    expect(answer.status).to.equal(200);
    expect(gateway.provider.lastCall().json).to.deep.equal(question());
  });

  it('sends nothing of a caller’s query to a provider whose dialect has none', async () => {
    await sendRaw(gateway.url, call([], { target: '/v1/chat/completions?key=mine&x=1' }));
    expect(gateway.provider.lastCall().path).to.equal('/v1/chat/completions');
  });
});
