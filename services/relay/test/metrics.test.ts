import { connect } from 'node:net';
import { metrics } from '@tollgate/runtime';
import { eventually, freePort } from '@tollgate/testing';
import { expect } from 'chai';
import { question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('What a monitor sees', () => {
  let gateway: Gateway;
  let user: TestUser;
  let channelId: number;
  let port: number;

  before(async () => {
    metrics.resetMetrics(); // the suites before this one were counted in the same process
    port = await freePort();
    gateway = await startGateway({ METRICS_PORT: String(port) });
    user = await gateway.user({ balance: 1e9 });
    channelId = await gateway.channel({});
    await gateway.options({ RetryTimes: '0' });
    await untilServed(gateway, user.token);
  });
  after(() => gateway.stop());

  const ask = async (fields: Record<string, unknown> = {}) =>
    (await gateway.post('/v1/chat/completions', question(fields), { authorization: user.token.authorization })).text();
  /** The value of the line that begins so, 0 when there is none. */
  const figure = async (line: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    return Number(
      text
        .split('\n')
        .find((each) => each.startsWith(`${line} `))
        ?.slice(line.length) ?? 0,
    );
  };

  it('is seen from this machine only, unless METRICS_HOST says otherwise', async () => {
    // All of 127.0.0.0/8 leads here, as another interface of the machine would.
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).to.equal(200);
    const reached = await fetch(`http://127.0.0.2:${port}/metrics`).then(
      () => true,
      () => false,
    );
    expect(reached).to.equal(false);
  });

  it('counts a caller who leaves while he still sends as one who left, whatever he asked for', async () => {
    let left = 0;
    for (const path of ['/v1/chat/completions', '/v1/messages/count_tokens']) {
      const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${user.token.authorization}\r\nContent-Type: application/json\r\nContent-Length: 90000\r\n\r\n{`,
      );
      await eventually(async () => expect(await figure('relay_open_calls')).to.equal(1));
      socket.destroy();
      const counted = 'relay_requests_total{mode="none",model="none",channel="none",status="499"}';
      await eventually(async () => expect(await figure(counted)).to.equal(left + 1));
      left += 1;
    }
  });

  it('counts and times calls by model and channel, first tokens too', async () => {
    await ask();
    await ask({ stream: true });
    const served = `model="test-model",channel="${channelId}"`;
    await eventually(async () => {
      expect(await figure(`relay_requests_total{mode="chat",${served},status="200"}`)).to.equal(2);
      expect(await figure(`relay_request_seconds_count{${served},stream="0"}`)).to.equal(1);
      expect(await figure(`relay_request_seconds_count{${served},stream="1"}`)).to.equal(1);
      expect(await figure(`relay_first_token_seconds_count{${served}}`)).to.equal(1);
      expect(await figure('relay_open_calls')).to.equal(0);
      expect(await figure('relay_bills_unwritten')).to.equal(0);
    });
    expect(await figure('relay_events_reported_total{end_reason="complete",usage_source="upstream"}')).to.equal(2);
  });

  it('makes no label of what no channel serves: a caller cannot fill the memory of the monitor', async () => {
    for (let call = 0; call < 5; call += 1) await ask({ model: `made-up-${call}` });
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(text).not.to.contain('made-up');
    expect(await figure('relay_requests_total{mode="none",model="none",channel="none",status="404"}')).to.equal(5);
  });

  it('shows breakers as they open, wait for a probe, and close', async () => {
    gateway.provider.answers({ status: 500 });
    for (let call = 0; call < 10; call += 1) await ask();
    expect(await figure('relay_breakers_failing')).to.equal(1);
    expect(await figure(`relay_attempts_failed_total{channel="${channelId}"}`)).to.equal(10);
    await eventually(async () => expect(await figure('relay_breakers_half_open')).to.equal(1), { timeoutMs: 10_000 });
    gateway.provider.reset();
    await ask();
    for (const state of ['failing', 'limited', 'half_open']) expect(await figure(`relay_breakers_${state}`)).to.equal(0);
  });
});
