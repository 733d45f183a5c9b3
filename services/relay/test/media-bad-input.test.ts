import { randomBytes } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { errorOf } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { type MediaProvider, sendJson, startMediaProvider } from './support/media-provider.ts';

const modelRatio = { 'test-model': 1, 'gpt-image-1': 2.5, 'whisper-1': 15, 'tts-1': 7.5, 'omni-moderation-latest': 1, 'jina-reranker': 1 };
const jsonPaths = ['/v1/images/generations', '/v1/audio/speech', '/v1/moderations', '/v1/rerank'];
const formPaths = ['/v1/images/edits', '/v1/images/variations', '/v1/audio/transcriptions', '/v1/audio/translations'];

describe('Requests for pictures and sound that are not as they should be', () => {
  let gateway: Gateway;
  let provider: MediaProvider;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway({ RELAY_MAX_BODY_BYTES: String(24 << 20), RELAY_MAX_ANSWER_BYTES: String(4 << 20) });
    provider = await startMediaProvider();
    const ModelPrice = JSON.stringify({ 'dall-e-2': 0.02, 'dall-e-3': 0.04, 'claude-x': 0.01 });
    await gateway.options({ ModelRatio: JSON.stringify(modelRatio), ModelPrice });
    await gateway.channels([
      { baseUrl: provider.url, models: [...Object.keys(modelRatio), 'dall-e-2', 'dall-e-3'] },
      { baseUrl: provider.url, type: 14, models: ['claude-x'] },
    ]);
    await untilServed(gateway, (await gateway.user()).token, 'claude-x');
  });
  after(async () => {
    await gateway.stop();
    await provider.close();
  });
  beforeEach(async () => {
    provider.calls.length = 0;
    provider.answer = (response) => sendJson(response, { text: 'x', data: [{ url: 'u' }], results: [] });
    user = await gateway.user({ balance: 1e12 });
  });

  const post = (path: string, body: unknown) => gateway.post(path, body, { authorization: user.token.authorization });
  const postForm = (path: string, form: FormData | Buffer, type?: string) =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: user.token.authorization, ...(type && { 'content-type': type }) },
      body: form as FormData,
    });
  function formOf(fields: Record<string, string>, file?: { name: string; bytes: Buffer }): FormData {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    if (file !== undefined) form.append(file.name, new Blob([new Uint8Array(file.bytes)]), 'file.bin');
    return form;
  }
  async function expectRefused(answer: Response, { status = 400, words }: { status?: number; words: RegExp }): Promise<void> {
    expect(answer.status).to.equal(status);
    expect((await errorOf(answer)).message).to.match(words);
    expect(provider.calls, 'nobody was asked').to.have.length(0);
    await eventually(async () => expect(await gateway.held(user)).to.equal(0));
  }

  const wrong: [path: string, body: Record<string, unknown>, words: RegExp][] = [
    ['/v1/images/generations', {}, /prompt is required/],
    ['/v1/images/generations', { prompt: ['x'] }, /prompt must be a text/],
    ['/v1/images/generations', { prompt: 'x', n: 0 }, /n must be an integer from 1 to 10/],
    ['/v1/images/generations', { prompt: 'x', n: -1 }, /n must be an integer from 1 to 10/],
    ['/v1/images/generations', { prompt: 'x', n: 1e18 }, /n must be an integer from 1 to 10/],
    ['/v1/images/generations', { prompt: 'x', n: '1' }, /n must be an integer from 1 to 10/],
    ['/v1/images/generations', { prompt: 'x', N: 9 }, /N must be written n/],
    ['/v1/images/generations', { prompt: 'x', size: '1024×1024' }, /letter x/],
    ['/v1/images/generations', { prompt: 'x', size: 7 }, /size must be a text/],
    ['/v1/images/generations', { prompt: 'x', partial_images: 4, model: 'gpt-image-1' }, /partial_images must be/],
    ['/v1/images/generations', { prompt: 'x', stream: true, n: 2 }, /n must be 1/],
    ['/v1/images/generations', { prompt: 'x', partial_images: 2 }, /partial_images affects the price/],
    ['/v1/images/generations', { prompt: 'x', model: 'dall-e-3', size: '4096x4096' }, /size=4096x4096 affects the price/],
    ['/v1/images/generations', { prompt: 'x', model: 'dall-e-3', quality: 'ultra' }, /quality=ultra affects the price/],
    ['/v1/images/generations', { prompt: 'x', model: 'claude-x' }, /does not support images/],
    ['/v1/audio/speech', { model: 'tts-1' }, /input is required/],
    ['/v1/audio/speech', { input: 5 }, /input is required/],
    ['/v1/audio/speech', { input: 'x', speed: 100 }, /speed must be/],
    ['/v1/audio/speech', { input: 'x', stream_format: 'rtp' }, /stream_format must be/],
    ['/v1/moderations', {}, /input is required/],
    ['/v1/moderations', { input: [] }, /input is required/],
    ['/v1/moderations', { input: [1, 2] }, /input is required/],
    ['/v1/rerank', { model: 'jina-reranker', documents: ['x'] }, /query is required/],
    ['/v1/rerank', { model: 'jina-reranker', query: 'x', documents: 'x' }, /documents is required/],
    ['/v1/rerank', { model: 'jina-reranker', query: 'x', documents: [null] }, /documents is required/],
    ['/v1/rerank', { model: 'jina-reranker', query: 'x', documents: [{ text: null }] }, /documents is required/],
    ['/v1/rerank', { model: 'jina-reranker', query: 'x', documents: ['x', { text: [7] }] }, /documents is required/],
    ['/v1/rerank', { model: 'jina-reranker', query: 'x', documents: ['x'], top_n: -1 }, /top_n must be/],
    ['/v1/rerank', { query: 'x', documents: ['x'] }, /model is required/],
  ];
  for (const [path, body, words] of wrong) {
    it(`${path} ${JSON.stringify(body)} is refused by name`, async () => expectRefused(await post(path, body), { words }));
  }

  const sound = { name: 'file', bytes: Buffer.from('sound') };
  const image = { name: 'image', bytes: Buffer.from('picture') };
  const wrongForms: [path: string, form: FormData, words: RegExp][] = [
    ['/v1/audio/transcriptions', formOf({ model: 'whisper-1' }), /file is required/],
    ['/v1/audio/transcriptions', formOf({ model: 'whisper-1', file: 'a text' }), /file is required/],
    ['/v1/audio/transcriptions', formOf({}, { name: 'sound', bytes: sound.bytes }), /file is required/],
    ['/v1/audio/transcriptions', formOf({}, { name: 'file', bytes: Buffer.alloc(0) }), /file must not be empty/],
    ['/v1/audio/transcriptions', formOf({ Model: 'whisper-1' }, sound), /Model must be written model/],
    ['/v1/audio/transcriptions', formOf({ stream: 'perhaps' }, sound), /stream must be true or false/],
    ['/v1/images/edits', formOf({ prompt: 'x' }), /image is required/],
    ['/v1/images/edits', formOf({}, image), /prompt is required/],
    ['/v1/images/edits', formOf({ prompt: 'x', n: '-3' }, image), /n must be an integer/],
    ['/v1/images/edits', formOf({ prompt: 'x', n: '11' }, image), /n must be an integer from 1 to 10/],
    ['/v1/images/edits', formOf({ prompt: 'x', n: '1e1' }, image), /n must be an integer/],
    ['/v1/images/variations', formOf({ size: '2048x2048' }, image), /size=2048x2048 affects the price/],
    ['/v1/images/edits', formOf(Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, 'x'])), image), /too many parts/],
    ['/v1/images/edits', formOf({ prompt: 'x'.repeat(300_000) }, image), /prompt is longer than/],
  ];
  for (const [path, form, words] of wrongForms) {
    it(`${path} whose form is wrong is refused: ${words}`, async () => expectRefused(await postForm(path, form), { words }));
  }

  it('a body of the wrong kind is refused, wherever it goes', async () => {
    for (const path of formPaths) await expectRefused(await post(path, { model: 'whisper-1' }), { status: 415, words: /must be a form/ });
    for (const path of jsonPaths) await expectRefused(await postForm(path, formOf({ a: 'b' })), { words: /not valid JSON/ });
    for (const type of ['multipart/form-data', 'multipart/form-data; boundary=']) {
      await expectRefused(await postForm('/v1/images/edits', Buffer.from('x'), type), { words: /not a valid form/ });
    }
  });

  it('a form that breaks off anywhere is refused', async () => {
    const whole = Buffer.from(
      '--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nwhisper-1\r\n' +
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\nContent-Type: audio/mpeg\r\n\r\nsound\r\n--b--\r\n',
    );
    for (let length = 1; length < whole.length - 4; length += 3) {
      const answer = await postForm('/v1/audio/transcriptions', whole.subarray(0, length), 'multipart/form-data; boundary=b');
      expect(answer.status, `${length} bytes`).to.equal(400);
      await answer.text();
    }
    expect(provider.calls).to.have.length(0);
    expect((await postForm('/v1/audio/transcriptions', whole, 'multipart/form-data; boundary=b')).status).to.equal(200);
  });

  it('hides no second field behind names and values that look like lines of a form', async () => {
    const hostile = formOf(
      { prompt: 'x\r\n--b\r\nContent-Disposition: form-data; name="n"\r\n\r\n9', 'a"; name="n': '9', model: 'dall-e-2' },
      image,
    );
    expect((await postForm('/v1/images/edits', hostile)).status).to.equal(200);
    const { fields } = provider.lastCall();
    expect(fields.n).to.equal(undefined);
    expect(fields.prompt?.[0]).to.contain('name="n"');
  });

  it('a file that is too large is refused, whether or not its length is told', async () => {
    const file = { name: 'file', bytes: Buffer.alloc(25 << 20) };
    await expectRefused(await postForm('/v1/audio/transcriptions', formOf({}, file)), { status: 413, words: /larger than/ });
  });

  /** Sends the beginning of a form, and leaves it there. */
  function startUpload(bytes: number) {
    const upload = request(`${gateway.url}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: user.token.authorization, 'content-type': 'multipart/form-data; boundary=b', 'content-length': 20 << 20 },
    });
    upload.on('error', () => undefined);
    upload.write('--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n');
    upload.write(randomBytes(bytes));
    return upload;
  }
  const spooled = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).includes('/tollgate-');
      } catch {
        return false;
      }
    }).length;

  it('speech without end is cut, and what went out is paid', async () => {
    let sent = 0;
    provider.answer = (response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' });
      const more = () => {
        while (!response.destroyed && sent < 1 << 30) {
          sent += 64 << 10;
          if (!response.write(Buffer.alloc(64 << 10))) return void response.once('drain', more);
        }
      };
      more();
    };
    const answer = await post('/v1/audio/speech', { model: 'tts-1', input: 'Hello' });
    const cut = await answer.arrayBuffer().then(
      () => 'it ended well',
      () => 'it was cut',
    );
    expect(cut).to.equal('it was cut');
    expect(sent, 'little more was taken').to.be.lessThan(32 << 20);
    await eventually(async () => expect((await gateway.events(user))[0]).to.include({ endReason: 'upstream_died', quota: 38 }));
  });

  it('a caller who leaves in mid-upload costs nothing and leaves nothing behind', async () => {
    const upload = startUpload(5 << 20);
    await eventually(() => expect(spooled()).to.equal(1));
    upload.destroy();
    await eventually(() => expect(spooled()).to.equal(0));
    expect(await gateway.held(user)).to.equal(0);
    expect(provider.calls).to.have.length(0);
  });

  it('edits of 20 MB, four at once, take less than 4 MB of memory each, on their way in and out', async function () {
    this.timeout(130_000);
    const uploads = 4;
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const inUse = () => {
      collect();
      const { external, heapUsed } = process.memoryUsage();
      return external + heapUsed;
    };
    const [answers, taken] = [Promise.withResolvers<void>(), new Set<object>()];
    const drain = createServer((asked, response) => {
      let bytes = 0;
      asked.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > 20 << 20) taken.add(asked);
      });
      asked.on('end', () => void answers.promise.then(() => sendJson(response, { data: [{ url: 'u' }] })));
    });
    await new Promise<void>((resolve) => drain.listen(0, '127.0.0.1', resolve));
    const { port } = drain.address() as AddressInfo;
    await gateway.channel({ baseUrl: `http://127.0.0.1:${port}`, models: ['other-model'] });
    await gateway.options({ ModelPrice: JSON.stringify({ 'other-model': 0.01 }) });
    await untilServed(gateway, user.token, 'other-model');
    const before = inUse();
    /** What the collector found dead is given back by a thread of its own, so later. */
    const littleIsKept = () =>
      eventually(() => expect((inUse() - before) / uploads / (1 << 20), 'MB a call').to.be.lessThan(4), { timeoutMs: 20_000 });
    const piece = randomBytes(256 << 10);
    const head = '--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\n\r\n';
    const field = (name: string, value: string) => `\r\n--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
    const tail = `${field('model', 'other-model')}${field('prompt', 'x')}\r\n--b--\r\n`;
    const statuses = Array.from({ length: uploads }, async () => {
      const headers = { authorization: user.token.authorization, 'content-type': 'multipart/form-data; boundary=b' };
      const upload = request(`${gateway.url}/v1/images/edits`, { method: 'POST', headers });
      const answered = new Promise<number>((resolve) => upload.once('response', (answer) => resolve(answer.resume().statusCode ?? 0)));
      upload.write(head);
      for (let sent = 0; sent < 20 << 20; sent += piece.length) {
        if (!upload.write(piece)) await new Promise((resolve) => upload.once('drain', resolve));
      }
      upload.end(tail);
      return answered;
    });
    await eventually(() => expect(spooled()).to.equal(uploads), { timeoutMs: 60_000 });
    await littleIsKept();
    await eventually(() => expect(taken.size).to.equal(uploads), { timeoutMs: 60_000 });
    await littleIsKept();
    expect(spooled()).to.equal(uploads);
    answers.resolve();
    expect(new Set(await Promise.all(statuses))).to.deep.equal(new Set([200]));
    await eventually(() => expect(spooled()).to.equal(0));
    drain.closeAllConnections();
    drain.close();
  });

  it('no request, however hostile its numbers, raises a balance', async () => {
    const numbers = [-1, 0, -0, 0.5, 1, 10, 11, 1e9, 1e308, -1e308, 2 ** 53, '1', '-1', 'NaN', null, true, [], {}];
    const sizes = ['1024x1024', '0x0', '-1x-1', '99999x99999', '1x1', 'auto', '', 'constructor', '__proto__'];
    const usages = [{ input_tokens: -5, output_tokens: -5 }, { total_tokens: -18 }, { type: 'duration', seconds: -9 }, { seconds: 1e300 }];
    let at = 0;
    const some = <T>(list: readonly T[]): T => {
      at = (at * 31 + 7) % 9973;
      return list[at % list.length] as T;
    };
    user = await gateway.user({ balance: 5_000_000 });
    let left = 5_000_000;
    for (let round = 0; round < 40; round += 1) {
      const told = { text: 'x', data: [{ url: 'u' }], results: [{}], usage: some(usages), duration: some(numbers) };
      provider.answer = (response, { path }) => {
        if (path.endsWith('/speech')) response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('sound');
        else sendJson(response, told);
      };
      const fields = {
        model: some(['dall-e-2', 'gpt-image-1']),
        prompt: 'x',
        n: some(numbers),
        size: some(sizes),
        partial_images: some(numbers),
      };
      const text = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
      const answers = await Promise.all([
        post('/v1/images/generations', fields),
        post('/v1/audio/speech', { input: 'x', speed: some(numbers) }),
        post('/v1/rerank', { model: 'jina-reranker', query: 'x', documents: ['y'], top_n: some(numbers) }),
        postForm('/v1/images/edits', formOf(text, image)),
        postForm('/v1/audio/transcriptions', formOf({ temperature: String(some(numbers)) }, sound)),
      ]);
      for (const answer of answers) {
        expect(answer.status).to.be.oneOf([200, 400, 403]);
        await answer.text();
      }
    }
    const events = await gateway.events(user);
    for (const { quota } of events) {
      expect(quota).to.be.a('number').and.at.least(1);
      left -= Number(quota);
    }
    expect(events.length).to.be.greaterThan(30);
    expect(left).to.be.lessThan(5_000_000);
  }).timeout(120_000);
});
