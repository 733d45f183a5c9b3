import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, type ServiceProcess, startService } from '@tollgate/testing';
import { expect } from 'chai';
import { question } from './support/ask.ts';
import { type Gateway, startGateway } from './support/gateway.ts';

describe('Callers who have gone', function () {
  this.timeout(120_000);
  let gateway: Gateway;
  let relay: ServiceProcess;
  before(async () => {
    gateway = await startGateway();
    await gateway.channel();
    relay = await startService('relay', gateway.env);
  });
  after(async () => {
    await relay?.stop();
    await gateway?.stop();
  });

  it('while the relay stood still are not forwarded, and hold no quota', async () => {
    const user = await gateway.user();
    const ask = () =>
      fetch(`${relay.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: user.token.authorization },
        body: JSON.stringify(question()),
      });
    await eventually(async () => expect((await ask()).status).to.equal(200), { timeoutMs: 20_000 });
    const asked = gateway.provider.calls.length;
    relay.signal('SIGSTOP');
    const port = Number(new URL(relay.url).port);
    const body = JSON.stringify(question());
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: relay\r\nAuthorization: ${user.token.authorization}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
    const sockets = Array.from({ length: 200 }, () =>
      connect(port, '127.0.0.1', function (this: ReturnType<typeof connect>) {
        this.write(head + body);
      }),
    );
    await delay(1_000);
    for (const socket of sockets) socket.destroy();
    await delay(1_500);
    relay.signal('SIGCONT');
    expect((await ask()).status).to.equal(200);
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0), { timeoutMs: 20_000 });
    expect(gateway.provider.calls.length - asked).to.equal(1);
  });
});
