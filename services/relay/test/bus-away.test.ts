import { eventually, type FaultProxy, type RedisServer, startFaultProxy, startRedis } from '@tollgate/testing';
import { expect } from 'chai';
import { askAt, errorOf } from './support/ask.ts';
import { type Gateway, startGateway, untilServed } from './support/gateway.ts';

describe('A bus that is away', () => {
  let server: RedisServer;
  let line: FaultProxy;
  let gateway: Gateway;
  before(async () => {
    server = await startRedis();
    line = await startFaultProxy({ to: Number(new URL(server.url).port) });
    gateway = await startGateway({ BUS_URL: `redis://127.0.0.1:${line.port}`, RELAY_MAX_QUEUED_EVENTS: '3' });
    await gateway.channel({ models: ['test-model'] });
  });
  after(async () => {
    line?.heal();
    await gateway?.stop();
    await line?.close();
    await server?.stop();
  });

  it('is not felt until too many bills wait for it; then calls are refused with 503 until it is back', async () => {
    const user = await gateway.user();
    const ask = () => askAt(gateway.url, user.token.authorization);
    await untilServed(gateway, user.token);
    line.reset();
    const statuses: number[] = [];
    for (let call = 0; call < 3; call++) statuses.push((await ask()).status);
    expect(statuses).to.deep.equal([200, 200, 200]);
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '5']);
    expect((await errorOf(refused)).code).to.equal('service_unavailable');
    const { open, reported } = await gateway.wallet.counts();
    expect([open, reported]).to.deep.equal([0, 3]);
    line.heal();
    await eventually(async () => expect((await ask()).status).to.equal(200), { timeoutMs: 15_000 });
  });
});
