import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type ChatRequest, estimateChat } from '@tollgate/providers';
import { expect } from 'chai';
import { chat } from '../src/modes/text.ts';
import { JsonScan } from '../src/request/json-scan.ts';
import { lookInSlices } from '../src/request/scan-in-chunks.ts';
import { errorOf, question } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

describe('Large requests', () => {
  let gateway: Gateway;
  let user: TestUser;
  const picture =
    Buffer.from('89504e470d0a1a0a0000000d494844520000040000000300', 'hex').toString('base64') + 'iVBORw0KGgo/'.repeat(250_000);
  const prose = 'Some "quoted" words, a line\nand 一些汉字 besides. '.repeat(12_000);

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user({ balance: 1e12 });
    await gateway.channels([{ models: ['test-model', 'gpt-4o'] }, { type: 14, models: ['claude-x'] }]);
    await gateway.options({
      ModelRatio: JSON.stringify({ 'claude-x': 1, 'gpt-4o': 1, 'test-model': 1 }),
      SensitiveWords: 'forbidden phrase',
    });
    await untilServed(gateway, user.token, 'claude-x');
  });
  after(() => gateway.stop());
  beforeEach(() => gateway.provider.reset());

  const send = (body: string) => gateway.post('/v1/chat/completions', body, { authorization: user.token.authorization });
  const asked = (model: string, more: object[] = []) => ({
    model,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: prose },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
        ],
      },
      ...more,
    ],
    max_tokens: 20,
  });

  it('travel byte for byte where the provider speaks the same', async () => {
    // As PHP writes it: each slash of a picture is escaped.
    for (const body of [JSON.stringify(asked('gpt-4o')), JSON.stringify(asked('gpt-4o'), null, 2).replaceAll('/', '\\/')]) {
      expect((await send(body)).status).to.equal(200);
      expect(gateway.provider.lastCall().body === body, 'the same bytes').to.equal(true);
      expect(gateway.provider.lastCall().headers['content-length']).to.equal(String(Buffer.byteLength(body)));
    }
  });

  it('travel unpacked when they came packed', async () => {
    for (const [encoding, pack] of Object.entries({
      gzip: gzipSync,
      deflate: deflateSync,
      br: brotliCompressSync,
      zstd: zstdCompressSync,
    })) {
      for (const body of [JSON.stringify(asked('gpt-4o')), JSON.stringify(question())]) {
        const headers = { authorization: user.token.authorization, 'content-encoding': encoding };
        const answer = await gateway.post('/v1/chat/completions', pack(body), headers);
        expect(answer.status, encoding).to.equal(200);
        expect(gateway.provider.lastCall().body === body, encoding).to.equal(true);
        expect(gateway.provider.lastCall().headers).not.to.have.property('content-encoding');
      }
    }
  });

  it('are changed where they must be, and nowhere else', async () => {
    const body = JSON.stringify({ ...asked('gpt-4o'), stream: true });
    await (await send(body)).text();
    const { body: got } = gateway.provider.lastCall();
    expect(JSON.parse(got)).to.deep.equal({ ...JSON.parse(body), stream_options: { include_usage: true } });
    expect(got.startsWith(body.slice(0, -1))).to.equal(true);
  });

  it('are translated whole, pictures, texts and the arguments of tools', async () => {
    const argument = { text: prose, list: [1, 2] };
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: JSON.stringify(argument) } };
    const more = [
      { role: 'assistant', content: `${prose}   `, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: prose },
    ];
    for (const body of [JSON.stringify(asked('claude-x', more)), JSON.stringify(asked('claude-x', more)).replaceAll('/', '\\/')]) {
      expect((await send(body)).status).to.equal(200);
      const { messages } = gateway.provider.lastCall().json as { messages: { content: Record<string, unknown>[] }[] };
      const [written, answered, result] = messages.map(({ content }) => content);
      expect(written?.[0]?.text).to.equal(prose);
      expect(written?.[1]?.source).to.deep.equal({ type: 'base64', media_type: 'image/png', data: picture });
      expect(answered?.[0]?.text).to.equal(`${prose}   `);
      expect(answered?.[1]?.input).to.deep.equal(argument);
      expect(result?.[0]?.content).to.equal(prose);
    }
  });

  it('are looked through for sensitive words, wherever they stand', async () => {
    for (const at of [70_000, 65_530, 131_067, 400_000]) {
      const text = `${'a'.repeat(at)} Forbidden Phrase ${'b'.repeat(200_000)}`;
      const refused = await send(JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: text }] }));
      expect((await errorOf(refused)).code).to.equal('sensitive_words_detected');
    }
    expect(gateway.provider.calls).to.have.length(0);
  });

  it('are looked through by what their texts say, however JSON writes it', async () => {
    const around = (text: string) =>
      `{"model":"gpt-4o","messages":[{"role":"user","content":"${'a'.repeat(80_000)} ${text} ${'b'.repeat(80_000)}"}]}`;
    for (const text of ['forbidden\\u0020phrase', '\\"Forbidden phrase\\"', '汉字 FORBIDDEN PHRASE']) {
      expect((await errorOf(await send(around(text)))).code, text).to.equal('sensitive_words_detected');
    }
    for (const text of ['\\forbidden phrase', 'forbidden\\u005f phrase']) expect((await send(around(text))).status, text).to.equal(200);
  });

  it('weigh in slices what they weigh in one', async () => {
    const said = { ...asked('gpt-4o'), prediction: { type: 'content', content: prose } } as unknown as ChatRequest;
    const scan = new JsonScan({ leavesOut: true });
    const bytes = Buffer.from(JSON.stringify(said));
    for (let at = 0; at < bytes.length; at += 65_536) scan.push(bytes.subarray(at, at + 65_536));
    const { json, long } = scan.end();
    if (long === undefined) throw new Error('nothing is left out of it');
    const request = JSON.parse(json.toString()) as ChatRequest;
    const measure = await lookInSlices(request, { rules: chat as never, long, hasSensitiveWord: undefined });
    const [weight, exact] = [chat.weigh(request, measure), estimateChat(said)];
    expect(weight.imageInput).to.equal(exact.imageInput);
    expect(weight.textInput).to.equal(exact.textInput);
    expect(chat.output(request, measure).besides).to.equal(chat.output(said).besides);
  });

  it('are refused when a text in them is none, and when they end too early', async () => {
    const body = JSON.stringify(asked('gpt-4o'));
    for (const wrong of ['Some \\x ', 'Some \n ', 'Some \\u12x4 ']) {
      expect((await errorOf(await send(body.replace('Some ', wrong.repeat(2_000))))).code, wrong).to.equal('invalid_json');
    }
    const cut = await errorOf(await send(body.slice(0, -200)));
    expect(cut).to.include({ code: 'invalid_json' });
    expect(cut.message).to.contain('ends too early');
    expect(gateway.provider.calls).to.have.length(0);
  });

  it('are put to the next channel whole when the first one fails', async () => {
    await gateway.options({ RetryTimes: '2' });
    await gateway.channels([{ models: ['gpt-4o'], priority: 5 }]);
    gateway.provider.answersNext({ status: 500 });
    const body = JSON.stringify(asked('gpt-4o'));
    expect((await send(body)).status).to.equal(200);
    expect(gateway.provider.lastCall().body === body).to.equal(true);
  });
});
