import { type ChildProcess, spawn } from 'node:child_process';
import { eventually, type FakeProvider, startFakeProvider, wireBytes, wireSample, wireSamples } from '@tollgate/testing';
import { expect } from 'chai';

function ask(provider: { url: string }, body: object, path = '/v1/chat/completions', signal?: AbortSignal): Promise<Response> {
  return fetch(provider.url + path, { method: 'POST', body: JSON.stringify(body), headers: { 'x-request-id': 'r1' }, signal });
}

describe('the fake provider', () => {
  let provider: FakeProvider;
  before(async () => {
    provider = await startFakeProvider();
  });
  beforeEach(() => provider.reset());
  after(() => provider.close());

  it('has every recorded exchange, with its files', () => {
    const samples = wireSamples();
    expect(samples).to.have.length(167);
    for (const { response } of samples) expect(wireBytes(response.bodyFile).length, response.bodyFile).to.be.greaterThan(0);
  });

  it('replays a recorded exchange, in pieces if told so', async () => {
    const { response } = wireSample('openai/error-429-rate');
    provider.answers({ case: 'openai/error-429-rate' });
    const refused = await ask(provider, { model: 'm' });
    expect(refused.status).to.equal(429);
    expect(refused.headers.get('retry-after')).to.equal('20');
    expect(await refused.text()).to.equal(wireBytes(response.bodyFile).toString());
    provider.answers({ case: 'openai/chat-stream', chunkBytes: 7 });
    expect(await (await ask(provider, { model: 'm', stream: true })).text()).to.equal(
      wireBytes('openai/chat-stream.response.sse').toString(),
    );
  });

  it('makes answers up in the dialect of the path, and keeps what it was asked', async () => {
    const whole = (await (await ask(provider, { model: 'm', user: 'u1' })).json()) as { usage: object };
    expect(whole.usage).to.deep.equal({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 });
    expect(provider.lastCall()).to.deep.include({ method: 'POST', path: '/v1/chat/completions', model: 'm', mark: 'u1', outcome: 'full' });
    const stream = await (await ask(provider, { model: 'm', stream: true, stream_options: { include_usage: true } })).text();
    expect(stream.match(/data: /g)).to.have.length(5 + 3);
    expect(provider.lastCall().mark).to.equal('r1');
    expect(await (await ask(provider, { model: 'c', stream: true }, '/v1/messages')).text()).to.include('event: message_stop');
    const gemini = await ask(provider, { contents: [] }, '/v1beta/models/gem:generateContent');
    expect(await gemini.json()).to.have.property('usageMetadata');
    expect(provider.lastCall().model).to.equal('gem');
    const embeddings = (await (await ask(provider, { model: 'e', input: ['a', 'b'] }, '/v1/embeddings')).json()) as { data: unknown[] };
    expect(embeddings.data).to.have.length(2);
  });

  it('answers by model, and the next calls one by one', async () => {
    provider.answers({ status: 500, json: { error: { message: 'x' } } }, 'bad');
    provider.answersNext({ usage: { prompt_tokens: -1 } }, { text: '<html>', status: 502 });
    expect(await (await ask(provider, { model: 'm' })).json()).to.deep.include({ usage: { prompt_tokens: -1 } });
    expect((await ask(provider, { model: 'm' })).headers.get('content-type')).to.equal('text/html');
    expect((await ask(provider, { model: 'bad' })).status).to.equal(500);
    expect((await ask(provider, { model: 'm' })).status).to.equal(200);
    await eventually(() => expect(provider.totals()).to.include({ full: 2, failed: 2, open: 0 }));
    expect(provider.totals('bad')).to.include({ failed: 1, full: 0 });
  });

  it('breaks off as it is told, and counts what it had sent', async () => {
    const stream = { model: 'm', stream: true };
    provider.answers({ words: 10, breakAfter: 3, breakBy: 'destroy' });
    const cut = await ask(provider, stream);
    await cut.text().then(
      () => expect.fail('the stream ended well'),
      (error: unknown) => expect(error).to.be.instanceOf(TypeError),
    );
    expect(provider.lastCall().sentTokens).to.equal(3);
    await eventually(() => expect(provider.lastCall().outcome).to.equal('partial'));
    provider.answers({ words: 10, breakAfter: 2, breakBy: 'end' });
    expect(await (await ask(provider, stream)).text()).to.not.include('[DONE]');
    provider.answers({ words: 1, breakAfter: 1, breakBy: 'error' });
    expect(await (await ask(provider, stream)).text()).to.include('"error"');
    provider.answers({ breakAfter: 0, breakBy: 'end' });
    const half = await (await ask(provider, { model: 'm' })).text();
    expect(() => JSON.parse(half)).to.throw(SyntaxError);
    provider.answers({ noDone: true });
    expect(await (await ask(provider, stream)).text()).to.not.include('[DONE]');
    provider.answers({ refuseBy: 'destroy' });
    await ask(provider, stream).then(
      () => expect.fail('it answered'),
      (error: unknown) => expect(error).to.be.instanceOf(TypeError),
    );
    provider.answers({ bigFrameBytes: 5 * 1024 * 1024 });
    expect((await (await ask(provider, stream)).text()).length).to.be.greaterThan(5 * 1024 * 1024);
    expect(provider.totals().partial).to.equal(5);
  });

  it('falls silent before the headers or in mid-stream, and sees the caller leave', async () => {
    for (const script of [{ refuseBy: 'hang' } as const, { breakAfter: 1, breakBy: 'hang' } as const]) {
      provider.answers(script);
      const leaving = new AbortController();
      const asked = ask(provider, { model: 'm', stream: true }, '/v1/chat/completions', leaving.signal).then((answer) => answer.text());
      asked.catch(() => undefined);
      await eventually(() => expect(provider.totals().open).to.equal(1));
      leaving.abort();
      await eventually(() => expect(provider.lastCall().outcome).to.equal('partial'));
    }
  });

  it('runs as a process of its own, told and asked over HTTP', async () => {
    const child: ChildProcess = spawn(process.execPath, [new URL('../src/fake-provider-main.ts', import.meta.url).pathname], {
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const url = await new Promise<string>((resolve) => child.stdout?.once('data', (line: Buffer) => resolve(line.toString().trim())));
      await ask({ url }, { script: { words: 2 }, model: 'm' }, '/__script');
      await (await ask({ url }, { model: 'm' })).text();
      const seen = (await (await fetch(`${url}/__seen`)).json()) as { calls: { model: string }[]; totals: object };
      expect(seen.calls.map(({ model }) => model)).to.deep.equal(['m']);
      expect(seen.totals).to.deep.include({ full: 1, completionTokens: 2, promptTokens: 10 });
    } finally {
      child.kill();
    }
  });
});
