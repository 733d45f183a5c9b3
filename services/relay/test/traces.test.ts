import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number; message?: string };
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

describe('Traces', () => {
  let receiver: Server;
  const bodies: string[] = [];
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    receiver = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        if (request.url === '/v1/traces') bodies.push(Buffer.concat(pieces).toString());
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo;
    gateway = await startGateway({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    user = await gateway.user({ balance: 1e9 });
    await gateway.channels([{ priority: 10, models: ['test-model', 'other-model'] }, { models: ['other-model'] }]);
    await gateway.options({ RetryTimes: '1' });
    await untilServed(gateway, user.token);
  });
  after(async () => {
    await gateway.stop();
    receiver.close();
    receiver.closeAllConnections();
  });
  beforeEach(() => void bodies.splice(0));

  const ask = async (fields: Record<string, unknown>, headers: Record<string, string> = {}) => {
    const answer = await gateway.post('/v1/chat/completions', question(fields), { authorization: user.token.authorization, ...headers });
    await answer.text();
    return answer.headers.get('x-oneapi-request-id');
  };
  const spans = (): Span[] =>
    bodies.flatMap((body) => {
      const { resourceSpans } = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
      return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    });
  const factsOf = (span: Span | undefined) =>
    Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));

  it('tell a call phase by phase, as a part of the caller’s trace', async () => {
    const requestId = await ask({ stream: true }, { traceparent });
    await eventually(() => expect(spans().map(({ name }) => name)).to.include('chat'));
    const found = spans().filter((span) => span.traceId === traceId);
    expect(found.map(({ name }) => name)).to.have.members(['authenticate', 'check', 'reserve', 'attempt', 'report', 'chat']);
    const whole = found.find(({ name }) => name === 'chat');
    expect(whole?.parentSpanId).to.equal('b7ad6b7169203331');
    for (const span of found) if (span !== whole) expect(span.parentSpanId).to.equal(whole?.spanId);
    expect(factsOf(whole)).to.include({
      'tollgate.request_id': requestId,
      'gen_ai.request.model': 'test-model',
      'tollgate.tries': 1,
      'http.response.status_code': 200,
    });
  });

  it('show each attempt with its channel, and which of them failed', async () => {
    gateway.provider.answersNext({ status: 500 });
    await ask({ model: 'other-model' });
    await eventually(() => expect(spans().map(({ name }) => name)).to.include('chat'));
    const attempts = spans().filter(({ name }) => name === 'attempt');
    expect(attempts.map(({ status }) => status.message)).to.deep.equal(['server', undefined]);
    const channels = attempts.map((span) => factsOf(span)['tollgate.channel_id']);
    expect(new Set(channels).size).to.equal(2);
    expect(new Set(spans().map((span) => span.traceId)).size, 'a trace of its own').to.equal(1);
  });

  it('hold no key, no prompt and no answer, and say nothing when the caller does not want to be traced', async () => {
    const secret = 'the-secret-of-the-prompt';
    gateway.provider.answersNext({
      text: '{"choices":[{"message":{"content":"the-secret-of-the-answer"}}]}',
      contentType: 'application/json',
    });
    await ask({ messages: [{ role: 'user', content: secret }], model: 'test-model' });
    await ask({ messages: [{ role: 'user', content: secret }], model: secret });
    await ask({}, { traceparent: traceparent.replace(/01$/, '00') });
    await ask({}, { traceparent: 'no trace at all' });
    await eventually(() => expect(spans().filter(({ name }) => name === 'chat')).to.have.length(3));
    for (const body of bodies) {
      expect(body).not.to.contain('the-secret-of').and.not.contain(user.token.key).and.not.contain('upstream-key').and.not.contain(traceId);
    }
  });
});
