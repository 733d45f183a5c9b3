import { request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { eventually, sendRaw } from '@tollgate/testing';
import { expect } from 'chai';
import { errorOf, question } from './support/ask.ts';
import { type Gateway, modelRatios, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('Bad input', () => {
  let gateway: Gateway;
  let user: TestUser;
  const headers = () => ({ authorization: user.token.authorization });
  const chat = (body: unknown, more: Record<string, string> = {}) => gateway.post('/v1/chat/completions', body, { ...headers(), ...more });

  before(async () => {
    gateway = await startGateway({ RELAY_MAX_BODY_BYTES: String(1 << 20) });
    user = await gateway.user();
    await gateway.channel();
    await untilServed(gateway, user.token);
  });
  after(() => gateway.stop());
  afterEach(async () => {
    expect(await gateway.held(user), 'nothing stays held').to.equal(0);
    expect(gateway.provider.calls, 'no provider was asked').to.have.length(0);
  });

  it('a body that is no JSON object: 400 that says where', async () => {
    for (const body of ['', '{', '{"model":', 'hello', '[]', '"text"', 'null', '{"model":"test-model",}', '{"a":"\u0000"}']) {
      const answer = await chat(body);
      expect(answer.status, body).to.equal(400);
      const error = await errorOf(answer);
      expect(error.type).to.equal('invalid_request_error');
      expect(error.message).to.match(/\(request id: \w+\)$/);
    }
  });

  it('a body that nests too deep: 400, before anything is built of it', async () => {
    for (const body of [
      '['.repeat(500_000),
      '{"a":'.repeat(100_000),
      `{"model":"test-model","messages":${'['.repeat(200)}${']'.repeat(200)}}`,
    ]) {
      const answer = await chat(body);
      expect(answer.status).to.equal(400);
      expect((await errorOf(answer)).message).to.contain('nests deeper');
    }
  });

  it('a body of too many objects, values, members or fields: 400, before anything is built of it', async () => {
    const many = (piece: string, count: number) => Array(count).fill(piece).join(',');
    for (const body of [
      `{"model":"test-model","a":[${many('{}', 100_001)}]}`,
      `{"model":"test-model","a":[${many('[]', 100_001)}]}`,
      `{"model":"test-model",${many('"a":1', 1_001)}}`,
    ]) {
      const answer = await chat(body);
      expect(answer.status).to.equal(400);
      expect((await errorOf(answer)).message).to.contain('it holds more than');
    }
  });

  it('a field whose name differs from a known one by case alone: 400 that names it', async () => {
    for (const field of ['Model', 'MODEL', 'Messages', 'Max_Tokens', 'max_to\u212aens', 'me\u017f\u017fages']) {
      const answer = await chat({ ...question(), [field]: 'other-model' });
      expect(answer.status, field).to.equal(400);
      expect((await errorOf(answer)).param).to.equal(field);
    }
  });

  it('a large body of a caller who has nothing left: 403, before it is read', async () => {
    await gateway.options({ ModelRatio: JSON.stringify({ 'test-model': 1 }) }); // none is free
    const poor = await gateway.user({ balance: 0 });
    const empty = await gateway.token(user, { remain: 1 });
    await gateway.wallet.setTokenRemain({ tokenId: empty.id, userId: user.id, remain: 0 });
    for (const [{ authorization }, code] of [
      [poor.token, 'insufficient_user_quota'],
      [empty, 'token_quota_depleted'],
    ] as const) {
      await eventually(async () => {
        const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n`;
        const answer = await Promise.race([
          sendRaw(gateway.url, `${head}Content-Length: 1000000\r\nConnection: close\r\n\r\n`),
          delay(3_000, 'no answer before the body'),
        ]);
        expect(answer)
          .to.match(/^HTTP\/1\.1 403 /)
          .and.include(code);
      });
    }
    const small = await gateway.post('/v1/chat/completions', question(), { authorization: empty.authorization });
    expect(small.status).to.equal(403);
    expect((await errorOf(small)).message).to.match(/^Token quota is depleted/);
    await gateway.options({ ModelRatio: JSON.stringify(modelRatios) });
  });

  it('a body that is too large: 413, whether or not its length is said ahead', async () => {
    const body = JSON.stringify(question({ messages: [{ role: 'user', content: 'x'.repeat(2 << 20) }] }));
    expect((await chat(body)).status).to.equal(413);
    const status = await new Promise((resolve, reject) => {
      const call = httpRequest(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers: headers() }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      call.on('error', reject);
      call.write(body.slice(0, body.length / 2));
      call.end(body.slice(body.length / 2));
    });
    expect(status).to.equal(413);
  });

  it('a body packed in a way that nobody knows: 415 that says which ways are known', async () => {
    for (const encoding of ['compress', 'gzip, gzip', 'constructor']) {
      const answer = await chat(question(), { 'content-encoding': encoding });
      expect(answer.status).to.equal(415);
      const error = await errorOf(answer);
      expect(error.code).to.equal('content_encoding_refused');
      expect(error.message).to.contain('gzip, deflate, br, zstd');
    }
  });

  it('a packed body that breaks off or is none: 400', async () => {
    const whole = gzipSync(JSON.stringify(question()));
    for (const [encoding, body] of [
      ['gzip', whole.subarray(0, -9)],
      ['gzip', question()],
      ['br', whole],
      ['deflate', whole],
      ['zstd', whole],
    ] as const) {
      const answer = await chat(body, { 'content-encoding': encoding });
      expect(answer.status, encoding).to.equal(400);
      expect((await errorOf(answer)).code, encoding).to.equal('broken_encoding');
    }
  });

  it('a small body that would be a large one unpacked: 413, and no more of it is unpacked; who has nothing left is refused before', async () => {
    const packed = gzipSync(`{"model":"test-model","x":"${'x'.repeat(64 << 20)}"}`); // 64 MB in 65 kB
    const before = process.memoryUsage().rss;
    const answers = await Promise.all(Array.from({ length: 12 }, () => chat(packed, { 'content-encoding': 'gzip' })));
    expect(answers.map(({ status }) => status)).to.deep.equal(Array(12).fill(413));
    expect(process.memoryUsage().rss - before).to.be.below(12 * (16 << 20));
    const poor = await gateway.user({ balance: 0 });
    const small = gzipSync(JSON.stringify(question({ user: 'x'.repeat(100) })));
    const refused = await chat(small, { 'content-encoding': 'gzip', authorization: poor.token.authorization });
    expect((await errorOf(refused)).code).to.equal('insufficient_user_quota');
  });

  it('an unknown model: 404 model_not_found', async () => {
    const answer = await chat(question({ model: 'no-such-model' }));
    expect(answer.status).to.equal(404);
    expect((await errorOf(answer)).code).to.equal('model_not_found');
  });

  it('numbers and flags that are none: 400 that names the field', async () => {
    const wrong: [string, unknown[]][] = [
      ['model', [undefined, null, '', 7, 'm'.repeat(300)]],
      ['stream', ['true', 1, {}]],
      ['n', [-1, 0, 1.5, 1e18, '3', 129]],
      ['max_tokens', [-5, 0, 1.5, 1e18, '100']],
      ['max_completion_tokens', [-5, 1.5, 1e18, '100']],
      ['messages', [undefined, null, [], 'hello', {}]],
      ['tools', ['x', [1]]],
      ['stream_options', ['x', 3]],
    ];
    for (const [param, values] of wrong) {
      for (const value of values) {
        const answer = await chat(question({ [param]: value }));
        expect(answer.status, `${param}=${JSON.stringify(value)}`).to.equal(400);
        expect((await errorOf(answer)).param).to.equal(param);
      }
    }
  });

  it('messages that are none: 400 that names the message', async () => {
    for (const message of [
      null,
      'hello',
      [],
      {},
      { role: '' },
      { role: 'user', content: 7 },
      { role: 'user', content: ['x'] },
      { role: 'user', content: 'x', tool_calls: 'y' },
    ]) {
      const answer = await chat(question({ messages: [{ role: 'user', content: 'fine' }, message] }));
      expect(answer.status, JSON.stringify(message)).to.equal(400);
      expect((await errorOf(answer)).param).to.match(/^messages\[1\]/);
    }
  });

  it('inputs of completions and embeddings that are none: 400', async () => {
    for (const prompt of [undefined, '', [], 7, {}, [1.5], [[], []], ['a', 1]]) {
      const answer = await gateway.post('/v1/completions', { model: 'test-model', prompt }, headers());
      expect(answer.status, JSON.stringify(prompt)).to.equal(400);
      const embedding = await gateway.post('/v1/embeddings', { model: 'embedding-model', input: prompt }, headers());
      expect(embedding.status, JSON.stringify(prompt)).to.equal(400);
      expect((await errorOf(embedding)).param).to.equal('input');
    }
  });

  it('sensitive words, in any case and any part: 400', async () => {
    for (const content of [
      'a TEST_Sensitive b',
      [
        { type: 'text', text: 'x' },
        { type: 'text', text: 'test_sensitive' },
      ],
    ]) {
      const answer = await chat(question({ messages: [{ role: 'user', content }] }));
      expect(answer.status).to.equal(400);
      expect((await errorOf(answer)).code).to.equal('sensitive_words_detected');
    }
  });

  it('a model without a price: 400 that says so', async () => {
    await gateway.channel({ models: ['unpriced-model'] });
    const admin = await gateway.user();
    let answer = await gateway.post('/v1/chat/completions', question({ model: 'unpriced-model' }), {
      authorization: admin.token.authorization,
    });
    for (let tries = 0; answer.status === 404 && tries < 50; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      answer = await gateway.post('/v1/chat/completions', question({ model: 'unpriced-model' }), {
        authorization: admin.token.authorization,
      });
    }
    expect(answer.status).to.equal(400);
    expect((await errorOf(answer)).code).to.equal('unpriced_model');
  });
});
