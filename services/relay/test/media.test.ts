import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { toFile } from 'openai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { type MediaProvider, sendEvents, sendJson, startMediaProvider } from './support/media-provider.ts';
import { mp4, webm } from './support/sound-files.ts';

/** US dollars are 500 000 quota; ratio 1 is 2 dollars a million tokens, so a token is 1 quota. */
const ratios = {
  'gpt-image-1': 2.5,
  'tts-1': 7.5,
  'gpt-4o-mini-tts': 0.3,
  'whisper-1': 15,
  'gpt-4o-transcribe': 1.25,
  'omni-moderation-latest': 2,
  'jina-reranker-v2': 0.5,
  'rerank-v3.5': 1,
  'sized-model': 20,
};
const prices = { 'dall-e-2': 0.02, 'dall-e-3': 0.04 };
const elsewhere = {
  'imagen-3.0-generate-002': 24,
  'wanx-v1': 17,
  '@cf/flux': 39,
  '@cf/whisper': 39,
  'speech-02': 35,
  'rerank-v3.0': 34,
  kolors: 40,
  'gte-rerank': 17,
};
const picture = { b64_json: Buffer.from('a picture').toString('base64') };

/** A second of silence as a WAV file. */
function silence(seconds: number): Buffer {
  const rate = 8000;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + seconds * rate, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(seconds * rate, 40);
  return Buffer.concat([head, Buffer.alloc(seconds * rate, 128)]);
}

describe('Pictures, sound, judgements and rankings', () => {
  let gateway: Gateway;
  let provider: MediaProvider;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway({ UPSTREAM_POLL_MS: '20' });
    provider = await startMediaProvider();
    const ModelRatio = { 'test-model': 1, ...ratios, '@cf/whisper': 15, 'speech-02': 5, 'rerank-v3.0': 1, 'gte-rerank': 1 };
    const ModelPrice = { ...prices, 'imagen-3.0-generate-002': 0.03, 'wanx-v1': 0.02, '@cf/flux': 0.001, kolors: 0.01 };
    await gateway.options({ ModelRatio: JSON.stringify(ModelRatio), ModelPrice: JSON.stringify(ModelPrice) });
    const models = [...Object.keys(ratios), ...Object.keys(prices)];
    await gateway.channels([
      { baseUrl: provider.url, models, modelMapping: JSON.stringify({ 'sized-model': 'flux' }) },
      ...Object.entries(elsewhere).map(([model, type]) => ({
        baseUrl: provider.url,
        type,
        models: [model],
        other: type === 39 ? 'acc' : '',
      })),
    ]);
    await untilServed(gateway, (await gateway.user()).token, 'gte-rerank');
  });
  after(async () => {
    await gateway.stop();
    await provider.close();
  });
  beforeEach(async () => {
    provider.calls.length = 0;
    user = await gateway.user({ balance: 10_000_000 });
  });

  const client = () => gateway.client(user.token);
  async function event(): Promise<Record<string, unknown>> {
    await eventually(async () => expect(await gateway.events(user)).to.have.length(1));
    const [only] = await gateway.events(user);
    expect(await gateway.held(user), 'held is what was charged').to.equal(only?.quota);
    return only as Record<string, unknown>;
  }

  describe('POST /v1/images/generations', () => {
    it('passes a request and its pictures on byte for byte, and charges each picture by size and quality', async () => {
      const answer = JSON.stringify({ created: 7, data: [{ url: 'https://files.example.com/1.png', revised_prompt: 'A boat' }] });
      provider.answer = (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      const asked = JSON.stringify({ model: 'dall-e-3', prompt: 'A boat', n: 1, size: '1792x1024', quality: 'hd', unknown: [1] });
      const got = await gateway.post('/v1/images/generations', asked, { authorization: user.token.authorization });
      expect(await got.text()).to.equal(answer);
      expect(provider.lastCall().bytes.toString()).to.equal(asked);
      expect(provider.lastCall().path).to.equal('/v1/images/generations');
      const charged = await event();
      expect(charged).to.include({ mode: 'images', quota: 60_000, usageSource: 'upstream' });
      expect(charged.items).to.deep.equal([{ kind: 'pictures', amount: 1, price: 0.12 }]);
    });

    const table: [fields: Record<string, unknown>, drawn: number, quota: number][] = [
      [{ model: 'dall-e-3' }, 1, 20_000],
      [{ model: 'dall-e-3', size: '1024x1792' }, 1, 40_000],
      [{ model: 'dall-e-3', quality: 'hd' }, 1, 40_000],
      [{ model: 'dall-e-2', n: 4, size: '256x256' }, 4, 32_000],
      [{ model: 'dall-e-2', n: 4, size: '512x512' }, 3, 27_000],
      [{ n: 10 }, 10, 100_000],
      [{ model: 'sized-model', size: '2048x2048' }, 1, 100_000],
      [{ model: 'sized-model', size: '512x512', n: 2 }, 2, 22_500],
    ];
    for (const [fields, drawn, quota] of table) {
      it(`${JSON.stringify(fields)}, ${drawn} drawn, costs ${quota}`, async () => {
        provider.answer = (response) => sendJson(response, { created: 1, data: Array(drawn).fill(picture) });
        const got = await client().images.generate({ prompt: 'A boat', ...fields } as never);
        expect(got.data).to.have.length(drawn);
        expect((await event()).quota).to.equal(quota);
      });
    }

    it('charges by tokens where the model is paid so, and counts pictures of an answer that is not parsed', async () => {
      const usage = {
        input_tokens: 110,
        output_tokens: 4160,
        total_tokens: 4270,
        input_tokens_details: { text_tokens: 10, image_tokens: 100 },
      };
      const data = [{ b64_json: 'A'.repeat(200_000) }];
      provider.answer = (response) => sendJson(response, { created: 1, data, usage });
      const got = await client().images.generate({ model: 'gpt-image-1', prompt: 'A boat', quality: 'high', size: '1024x1024' });
      expect(got.usage).to.deep.equal(usage);
      const charged = await event();
      expect(charged.quota).to.equal(Math.round((10 + 100 * 2 + 4160 * 8) * 2.5));
      expect(charged.usage).to.include({ textInput: 10, imageInput: 100, textOutput: 4160 });
    });

    it('charges its own count, and shows it, where a provider says nothing of tokens or what cannot be true', async () => {
      for (const usage of [undefined, { input_tokens: 10, output_tokens: -5 }, { input_tokens: 10, output_tokens: 1, total_tokens: 11 }]) {
        user = await gateway.user({ balance: 10_000_000 });
        provider.answer = (response) => sendJson(response, { created: 1, data: [picture], usage });
        const got = await client().images.generate({ model: 'gpt-image-1', prompt: 'boat', quality: 'low', size: '1024x1024' });
        expect(got.usage?.output_tokens).to.equal(272);
        expect(await event()).to.include({ usageSource: 'estimated', quota: Math.round((1 + 272 * 8) * 2.5) });
      }
    });

    it('streams pictures as their events come', async () => {
      const usage = { input_tokens: 10, output_tokens: 372, total_tokens: 382, input_tokens_details: { text_tokens: 10, image_tokens: 0 } };
      const events = [
        { type: 'image_generation.partial_image', partial_image_index: 0, b64_json: 'AAAA' },
        { type: 'image_generation.completed', b64_json: 'BBBB', usage },
      ];
      provider.answer = (response) => sendEvents(response, events);
      const stream = await client().images.generate({
        model: 'gpt-image-1',
        prompt: 'A boat',
        stream: true,
        partial_images: 1,
        quality: 'low',
      });
      const got: unknown[] = [];
      for await (const one of stream) got.push(one);
      expect(got).to.deep.equal(events);
      expect(await event()).to.include({ isStream: true, endReason: 'complete', quota: Math.round((10 + 372 * 8) * 2.5) });
    });

    it('a provider who streams no pictures: the one that came is told by its event', async () => {
      provider.answer = (response) => sendJson(response, { created: 1, data: [picture] });
      const stream = await client().images.generate({ model: 'sized-model' as never, prompt: 'A boat', stream: true });
      const got: unknown[] = [];
      for await (const one of stream) got.push(one);
      expect(got).to.deep.equal([{ type: 'image_generation.completed', ...picture }]);
      expect(await event()).to.include({ isStream: true, quota: 25_000 });
    });

    it('twenty calls at once on a wallet for five pictures: five are drawn, the rest clearly refused', async () => {
      provider.answer = (response) => void setTimeout(() => sendJson(response, { created: 1, data: [picture] }), 30);
      const poor = await gateway.user({ balance: 100_000 });
      const ask = () =>
        gateway.post('/v1/images/generations', { model: 'dall-e-3', prompt: 'x' }, { authorization: poor.token.authorization });
      const statuses = (await Promise.all(Array.from({ length: 20 }, ask))).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).to.have.length(5);
      expect(statuses.filter((status) => status === 403)).to.have.length(15);
      expect(provider.calls).to.have.length(5);
      const charged = (await gateway.events(poor)).reduce((sum, { quota }) => sum + Number(quota), 0);
      expect(charged).to.equal(100_000);
    });

    it('words that the site does not allow are refused, in forms and in texts to be spoken, too', async () => {
      const prompt = 'a test_sensitive boat';
      const image = await toFile(Buffer.from('p'), 'p.png');
      for (const asking of [
        () => client().images.generate({ prompt }),
        () => client().images.edit({ image, prompt, model: 'dall-e-2' }),
        () => client().audio.speech.create({ model: 'tts-1', voice: 'a', input: prompt }),
        () => client().moderations.create({ input: prompt }),
      ]) {
        const refusal = await asking().then(
          () => undefined,
          (error: { code?: string }) => error.code,
        );
        expect(refusal).to.equal('sensitive_words_detected');
      }
      expect(provider.calls).to.have.length(0);
    });

    it('an answer without a picture is none, and free', async () => {
      provider.answer = (response) => sendJson(response, { created: 1, data: [] });
      const got = await gateway.post(
        '/v1/images/generations',
        { model: 'dall-e-3', prompt: 'x' },
        { authorization: user.token.authorization },
      );
      expect(got.status).to.equal(502);
      await eventually(async () => expect(await gateway.held(user)).to.equal(0));
    });

    it('Imagen draws, too', async () => {
      provider.answer = (response) => sendJson(response, { predictions: [{ bytesBase64Encoded: 'AAAA' }, { raiFilteredReason: 'no' }] });
      const got = await client().images.generate({ model: 'imagen-3.0-generate-002', prompt: 'A boat', n: 2, size: '1024x1792' });
      expect(got.data).to.deep.equal([{ b64_json: 'AAAA' }]);
      expect(provider.lastCall().path).to.equal('/v1beta/models/imagen-3.0-generate-002:predict');
      expect(provider.lastCall().json.parameters).to.include({ sampleCount: 2, aspectRatio: '9:16' });
      expect((await event()).quota, 'for the one that came').to.equal(30_000);
    });
  });

  describe('POST /v1/images/edits', () => {
    it('a file first, the model after it: it travels whole, with the mapped model, in a form of our own', async () => {
      provider.answer = (response) => sendJson(response, { created: 1, data: [picture, picture] });
      const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 256));
      const image = await toFile(bytes, 'a "boat"\r\n.png', { type: 'image/png' });
      const got = await client().images.edit({ image, prompt: '一只船', model: 'sized-model' as never, n: 2, size: '1024x1024' });
      expect(got.data).to.have.length(2);
      const { fields, files, path, headers, bytes: sent } = provider.lastCall();
      expect(path).to.equal('/v1/images/edits');
      expect(fields).to.deep.equal({ prompt: ['一只船'], model: ['flux'], n: ['2'], size: ['1024x1024'] });
      expect(files).to.have.length(1);
      expect(files[0]).to.include({ field: 'image', type: 'image/png' });
      expect(files[0]?.bytes.equals(bytes)).to.equal(true);
      expect(headers['content-length']).to.equal(String(sent.length));
      expect((await event()).quota).to.equal(2 * 25_000);
    });

    it('several pictures and a mask; paid by tokens', async () => {
      const usage = {
        input_tokens: 700,
        output_tokens: 272,
        total_tokens: 972,
        input_tokens_details: { text_tokens: 100, image_tokens: 600 },
      };
      provider.answer = (response) => sendJson(response, { created: 1, data: [picture], usage });
      const files = await Promise.all(['1', '2'].map((name) => toFile(Buffer.from(name), `${name}.png`)));
      await client().images.edit({
        model: 'gpt-image-1',
        image: files,
        mask: await toFile(Buffer.from('m'), 'm.png'),
        prompt: 'x',
        quality: 'low',
      });
      expect(provider.lastCall().files.map(({ field }) => field)).to.have.members(['image[]', 'image[]', 'mask']);
      expect((await event()).quota).to.equal(Math.round((100 + 600 * 2 + 272 * 8) * 2.5));
    });

    it('variations need no prompt', async () => {
      provider.answer = (response) => sendJson(response, { created: 1, data: [picture] });
      await client().images.createVariation({ image: await toFile(Buffer.from('p'), 'p.png'), n: 1, size: '512x512' });
      expect(provider.lastCall().path).to.equal('/v1/images/variations');
      expect((await event()).quota).to.equal(9000);
    });
  });

  describe('POST /v1/audio/speech', () => {
    const sound = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7) % 256));

    it('answers with the sound as it comes, and charges characters', async () => {
      provider.answer = (response) => {
        response.writeHead(200, { 'content-type': 'audio/mpeg', 'x-secret': '1' });
        for (let at = 0; at < sound.length; at += 20_000) response.write(sound.subarray(at, at + 20_000));
        response.end();
      };
      const got = await client().audio.speech.create({ model: 'tts-1', voice: 'alloy', input: 'Hello, 船 😀' });
      expect(Buffer.from(await got.arrayBuffer()).equals(sound)).to.equal(true);
      expect(got.headers.get('content-type')).to.equal('audio/mpeg');
      expect(got.headers.get('x-secret')).to.equal(null);
      const charged = await event();
      expect(charged).to.include({ mode: 'speech', quota: 75, endReason: 'complete' });
      expect(charged.items).to.deep.equal([{ kind: 'characters', amount: 10, price: 15e-6 }]);
    });

    it('speech that is paid by tokens is paid by what came of it', async () => {
      provider.answer = (response) => response.writeHead(200, { 'content-type': 'audio/pcm' }).end(Buffer.alloc(96_000));
      const got = await client().audio.speech.create({ model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hello', response_format: 'pcm' });
      await got.arrayBuffer();
      expect((await event()).quota, '1 token of text, two seconds of sound').to.equal(
        Math.round((1 + Math.ceil(2 * (1250 / 60)) * 20) * 0.3),
      );
    });

    it('is streamed as events where they are asked for', async () => {
      const usage = { input_tokens: 4, output_tokens: 100, total_tokens: 104 };
      provider.answer = (response) =>
        sendEvents(response, [
          { type: 'speech.audio.delta', audio: 'AAAA' },
          { type: 'speech.audio.done', usage },
        ]);
      const body = { model: 'gpt-4o-mini-tts', voice: 'alloy', input: 'Hello', stream_format: 'sse' };
      const got = await gateway.post('/v1/audio/speech', body, { authorization: user.token.authorization });
      expect(got.headers.get('content-type')).to.contain('text/event-stream');
      expect(await got.text()).to.contain('speech.audio.done');
      expect(provider.lastCall().json).to.deep.equal(body);
      expect(await event()).to.include({ isStream: true, quota: Math.round((4 + 100 * 20) * 0.3) });
    });

    it('a provider who dies in mid-sound: the line is cut, what went out is paid', async () => {
      provider.answer = (response) => {
        response.writeHead(200, { 'content-type': 'audio/mpeg' });
        response.write(sound, () => setTimeout(() => response.destroy(), 50));
      };
      const got = await gateway.post(
        '/v1/audio/speech',
        { model: 'tts-1', voice: 'a', input: 'Hello' },
        { authorization: user.token.authorization },
      );
      expect(got.status).to.equal(200);
      const failure = await got.arrayBuffer().then(
        () => 'it ended well',
        () => 'it was cut',
      );
      expect(failure).to.equal('it was cut');
      expect(await event()).to.include({ endReason: 'upstream_died', quota: 38 });
    });

    it('a caller who leaves in mid-sound pays for it, one who leaves before it does not', async () => {
      provider.answer = (response) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).write(sound);
      const leaving = new AbortController();
      const ask = (signal: AbortSignal) =>
        fetch(`${gateway.url}/v1/audio/speech`, {
          method: 'POST',
          signal,
          headers: { 'content-type': 'application/json', authorization: user.token.authorization },
          body: JSON.stringify({ model: 'tts-1', voice: 'a', input: 'Hello' }),
        });
      const got = await ask(leaving.signal);
      await got.body?.getReader().read();
      leaving.abort();
      expect(await event()).to.include({ endReason: 'client_gone', quota: 38 });

      user = await gateway.user({ balance: 1000 });
      let isAsked = false;
      provider.answer = () => {
        isAsked = true;
      };
      const early = new AbortController();
      const nothing = ask(early.signal).catch(() => undefined);
      await eventually(() => expect(isAsked).to.equal(true));
      early.abort();
      await nothing;
      await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0));
      expect(await gateway.held(user)).to.equal(0);
    });

    it('an error comes as one, and costs nothing', async () => {
      provider.answer = (response) => sendJson(response, { error: { message: 'no such voice', type: 'invalid_request_error' } }, 400);
      const got = await gateway.post(
        '/v1/audio/speech',
        { model: 'tts-1', voice: 'a', input: 'x' },
        { authorization: user.token.authorization },
      );
      expect(got.status).to.equal(400);
      expect(await got.text()).to.contain('no such voice');
      await eventually(async () => expect(await gateway.held(user)).to.equal(0));
    });

    it('a long text costs its characters, however they are written, and no more than 64 000 are read out', async () => {
      provider.answer = (response) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(sound);
      const escaped = (text: string) => text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
      const ask = (input: string) =>
        fetch(`${gateway.url}/v1/audio/speech`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: user.token.authorization },
          body: `{"model":"tts-1","voice":"a","input":"${input}"}`,
        });
      for (const [input, characters] of [
        ['你'.repeat(30_000), 30_000],
        [escaped('你'.repeat(15_000)), 15_000],
        [escaped('🚢'.repeat(12_000)), 12_000],
        ['a'.repeat(64_000), 64_000],
      ] as const) {
        user = await gateway.user({ balance: 1e9 });
        const got = await ask(input);
        expect(got.status, await got.text()).to.equal(200);
        expect((await event()).quota, String(characters)).to.equal(characters * 7.5);
        expect(provider.lastCall().json.input).to.equal(JSON.parse(`"${input}"`));
      }
      const asked = provider.calls.length;
      for (const [input, words] of [
        ['a'.repeat(64_001), /at most 64000 characters/],
        ['a'.repeat(1_000_000), /at most 64000 characters/],
        [`${'你'.repeat(30_000)}\\x`, /must be a text/],
      ] as const) {
        const got = await ask(input);
        expect(got.status).to.equal(400);
        expect(await got.text()).to.match(words);
      }
      expect(provider.calls).to.have.length(asked);
    });
  });

  describe('POST /v1/audio/transcriptions', () => {
    const file = () => toFile(silence(12), 'speech.wav', { type: 'audio/wav' });

    it('sends the file on, and charges the seconds that the provider heard', async () => {
      provider.answer = (response) => sendJson(response, { text: 'Hello', usage: { type: 'duration', seconds: 12 } });
      const got = await client().audio.transcriptions.create({ file: await file(), model: 'whisper-1', temperature: 0 });
      expect(got.text).to.equal('Hello');
      expect(provider.lastCall().files[0]?.bytes.equals(silence(12))).to.equal(true);
      expect(provider.lastCall().fields).to.deep.equal({ model: ['whisper-1'], temperature: ['0'] });
      expect(await event()).to.include({ mode: 'transcription', quota: 3000, usageSource: 'upstream' });
    });

    const formats: [format: string, type: string, body: string, quota: number][] = [
      ['text', 'text/plain; charset=utf-8', 'Hello\n', 3000],
      ['srt', 'text/plain', '1\n00:00:00,000 --> 00:00:12,500\nHello\n', 3250],
      ['vtt', 'text/vtt', 'WEBVTT\n\n00:00.000 --> 00:12.000\nHello\n', 3000],
      ['verbose_json', 'application/json', JSON.stringify({ task: 'transcribe', duration: 11.2, text: 'Hello', segments: [] }), 3000],
      ['json', 'application/json', JSON.stringify({ text: 'Hello' }), 3000],
    ];
    for (const [format, type, body, quota] of formats) {
      it(`answers in the format that was asked for: ${format}`, async () => {
        provider.answer = (response) => response.writeHead(200, { 'content-type': type }).end(body);
        const got = await client()
          .audio.transcriptions.create({ file: await file(), model: 'whisper-1', response_format: format as never })
          .asResponse();
        expect(got.headers.get('content-type')).to.equal(type);
        const text = await got.text();
        if (type === 'application/json') expect(JSON.parse(text)).to.deep.include(JSON.parse(body));
        else expect(text).to.equal(body);
        expect((await event()).quota).to.equal(quota);
      });
    }

    for (const [name, parts] of [
      ['a.m4a', mp4({ stated: 1000, frames: 9375 }, [1, 150_000])],
      ['a.webm', webm({ duration: 1000, packets: 30_000 })],
    ] as const)
      it(`of a file that makes itself short is paid by what it holds, where its provider does not say: ${name}`, async () => {
        provider.answer = (response) => sendJson(response, { text: 'Hello' });
        const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as Buffer)));
        await client().audio.transcriptions.create({ file: await toFile(bytes, name), model: 'whisper-1' });
        expect(await event()).to.include({ mode: 'transcription', quota: 600 * 250, usageSource: 'counted' });
      });

    const sly = Buffer.concat([silence(1).subarray(0, 40), Buffer.from('14000000', 'hex'), Buffer.alloc(20), silence(60).subarray(36)]);
    for (const [what, bytes, seconds, paid] of [
      ['five seconds', silence(5), 5, 2],
      ['a minute', silence(60), 60, 0],
      ['a minute behind a short chunk', sly, 60, 0],
    ] as const)
      it(`ten at once with a balance for ten seconds: of ${what}, as many are answered as are paid`, async () => {
        provider.answer = (response) => {
          setTimeout(() => sendJson(response, { text: 'Hello', usage: { type: 'duration', seconds } }), 50);
        };
        user = await gateway.user({ balance: 2500 });
        const asked = Array.from({ length: 10 }, async () => {
          const answered = client().audio.transcriptions.create({ file: await toFile(bytes, 'a.wav'), model: 'whisper-1' });
          return answered.then(
            () => 200,
            ({ status }: { status: number }) => status,
          );
        });
        const statuses = await Promise.all(asked);
        expect(statuses.filter((status) => status === 200)).to.have.length(paid);
        expect(statuses.filter((status) => status === 403)).to.have.length(10 - paid);
        expect(provider.calls).to.have.length(paid);
        const events = await gateway.events(user);
        expect(events.map(({ quota, uncollected }) => [quota, uncollected])).to.deep.equal(
          Array.from({ length: paid }, () => [seconds * 250, 0]),
        );
        await eventually(async () => expect(await gateway.held(user), 'held is what was charged').to.equal(paid * seconds * 250));
        expect((await gateway.wallet.remaining([user.id])).get(user.id)).to.equal(2500 - paid * seconds * 250);
      });

    it('by tokens, whole and as a stream', async () => {
      const usage = {
        type: 'tokens',
        input_tokens: 124,
        output_tokens: 5,
        total_tokens: 129,
        input_token_details: { text_tokens: 4, audio_tokens: 120 },
      };
      const quota = Math.round((4 + 120 * 2.4 + 5 * 4) * 1.25);
      provider.answer = (response) => sendJson(response, { text: 'Hello', usage });
      const whole = await client().audio.transcriptions.create({ file: await file(), model: 'gpt-4o-transcribe' });
      expect(whole.usage).to.deep.equal(usage);
      expect((await event()).quota).to.equal(quota);

      user = await gateway.user({ balance: 10_000_000 });
      provider.answer = (response) =>
        sendEvents(response, [
          { type: 'transcript.text.delta', delta: 'Hel' },
          { type: 'transcript.text.done', text: 'Hello', usage },
        ]);
      const stream = await client().audio.transcriptions.create({ file: await file(), model: 'gpt-4o-transcribe', stream: true });
      let text = '';
      for await (const one of stream) if (one.type === 'transcript.text.delta') text += one.delta;
      expect(text).to.equal('Hel');
      expect(await event()).to.include({ isStream: true, quota });
    });

    it('into English by a route of its own', async () => {
      provider.answer = (response) => sendJson(response, { text: 'Hello' });
      await client().audio.translations.create({ file: await file(), model: 'whisper-1' });
      expect(provider.lastCall().path).to.equal('/v1/audio/translations');
      expect(await event()).to.include({ mode: 'translation', quota: 3000 });
    });
  });

  describe('providers with words of their own', () => {
    const drawn = {
      output: { task_id: 'task/1', task_status: 'SUCCEEDED', results: [{ url: 'https://oss.example.com/1.png' }, { code: 'x' }] },
    };
    const draw = () => gateway.post('/v1/images/generations', { model: 'wanx-v1', prompt: '竹林', n: 2, size: '1024x1024' }, authorized());
    const authorized = () => ({ authorization: user.token.authorization });

    it('DashScope takes a request for pictures and is asked until they are drawn', async () => {
      let asked = 0;
      provider.answer = (response, { path }) => {
        asked += 1;
        const output = { task_id: 'task/1', task_status: asked === 1 ? 'PENDING' : 'RUNNING' };
        if (path.includes('/tasks/')) expect(path).to.equal('/api/v1/tasks/task%2F1');
        sendJson(response, asked < 4 ? { output } : drawn);
      };
      expect((await (await draw()).json()) as object).to.deep.include({ data: [{ url: 'https://oss.example.com/1.png' }] });
      expect(asked).to.equal(4);
      const [submitted] = provider.calls;
      expect(submitted?.headers).to.include({ 'x-dashscope-async': 'enable' });
      expect(submitted?.json).to.deep.equal({ model: 'wanx-v1', input: { prompt: '竹林' }, parameters: { size: '1024*1024', n: 2 } });
      expect((await event()).quota, 'for the one that came').to.equal(10_000);
    });

    it('a task that fails, or that nobody knows, is told and free', async () => {
      for (const end of [{ task_status: 'FAILED', code: 'DataInspectionFailed', message: 'not allowed' }, { task_status: 'UNKNOWN' }]) {
        provider.answer = (response, { path }) =>
          sendJson(response, { output: { task_id: '1', ...(path.includes('/tasks/') ? end : { task_status: 'PENDING' }) } });
        const answer = await draw();
        expect(answer.status).to.be.oneOf([400, 502]);
        expect(await answer.text()).to.match(/not allowed|UNKNOWN/);
        await eventually(async () => expect(await gateway.held(user)).to.equal(0));
      }
    });

    it('a provider that answers with the id of another task is not followed, and free', async () => {
      const places = new Set<string>();
      provider.answer = (response, { path }) => {
        if (path.includes('/tasks/')) places.add(path);
        sendJson(response, { output: { task_id: path.includes('/tasks/') ? 'strange' : 'own', task_status: 'RUNNING' } });
      };
      const answer = await draw();
      expect(answer.status).to.equal(502);
      expect(await answer.json()).to.have.nested.property('error.code', 'upstream_bad_answer');
      expect([...places]).to.deep.equal(['/api/v1/tasks/own']);
      await eventually(async () => expect(await gateway.held(user)).to.equal(0));
    });

    it('Cloudflare draws one picture a call, and hears the bytes of a file', async () => {
      provider.answer = (response) => sendJson(response, { result: { image: 'AAAA' }, success: true });
      const picture = await client().images.generate({ model: '@cf/flux', prompt: 'boat', size: '512x512' });
      expect(picture.data).to.deep.equal([{ b64_json: 'AAAA' }]);
      expect(provider.lastCall()).to.deep.include({
        path: '/client/v4/accounts/acc/ai/run/@cf/flux',
        json: { prompt: 'boat', width: 512, height: 512 },
      });
      expect((await event()).quota).to.equal(225);

      // Some of its models answer with the bytes of the picture, whatever they call them.
      const heads = [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from('\xff\xd8\xff\xe0', 'latin1')];
      for (const head of heads) {
        user = await gateway.user();
        const drawn = Buffer.concat([head, Buffer.alloc(300_000, 7)]);
        provider.answer = (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(drawn);
        const got = await client().images.generate({ model: '@cf/flux', prompt: 'boat', size: '512x512' });
        expect(got.data).to.deep.equal([{ b64_json: drawn.toString('base64') }]);
        expect((await event()).quota).to.equal(225);
      }
      user = await gateway.user();
      provider.answer = (response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(1000, 7));
      const none = await gateway.post('/v1/images/generations', { model: '@cf/flux', prompt: 'boat' }, authorized());
      expect(none.status).to.equal(502);
      expect(await none.json()).to.have.nested.property('error.code', 'upstream_bad_answer');
      await eventually(async () => expect(await gateway.held(user)).to.equal(0));

      user = await gateway.user();
      provider.answer = (response) => sendJson(response, { result: { text: 'Testing.' }, success: true });
      const file = await toFile(silence(6), 'a.wav');
      const heard = await client().audio.transcriptions.create({ model: '@cf/whisper', file, response_format: 'text' });
      expect(heard).to.equal('Testing.\n');
      expect(provider.lastCall().bytes.equals(silence(6))).to.equal(true);
      expect((await event()).quota).to.equal(1500);
    });

    it('MiniMax speaks in hexadecimal digits', async () => {
      const extra_info = { audio_format: 'mp3', usage_characters: 5 };
      provider.answer = (response) => sendJson(response, { data: { audio: '736f756e64' }, extra_info, base_resp: { status_code: 0 } });
      const got = await client().audio.speech.create({ model: 'speech-02', voice: 'male', input: 'Hello' });
      expect(await got.text()).to.equal('sound');
      expect(got.headers.get('content-type')).to.equal('audio/mpeg');
      expect(provider.lastCall().json).to.deep.include({ text: 'Hello', voice_setting: { voice_id: 'male', speed: 1 } });
      expect((await event()).quota).to.equal(25);
    });

    it('SiliconFlow calls a size and a number otherwise', async () => {
      provider.answer = (response) => sendJson(response, { images: [{ url: 'u' }, { url: 'v' }], seed: 1 });
      const got = await client().images.generate({ model: 'kolors', prompt: 'boat', n: 2, size: '1024x1024' });
      expect(got.data).to.deep.equal([{ url: 'u' }, { url: 'v' }]);
      expect(provider.lastCall().json).to.deep.equal({ model: 'kolors', prompt: 'boat', image_size: '1024x1024', batch_size: 2 });
      expect((await event()).quota).to.equal(10_000);
    });

    it('Cohere and DashScope rank', async () => {
      const results = [{ index: 0, relevance_score: 0.9 }];
      provider.answer = (response, { path }) =>
        sendJson(response, path.startsWith('/api/') ? { output: { results }, usage: { total_tokens: 7 } } : { results });
      const ask = (model: string) => gateway.post('/v1/rerank', { model, query: 'sea', documents: ['ocean'] }, authorized());
      expect((await (await ask('gte-rerank')).json()) as object).to.deep.include({ results, usage: { prompt_tokens: 7, total_tokens: 7 } });
      expect((await event()).quota).to.equal(7);
      user = await gateway.user();
      await (await ask('rerank-v3.0')).json();
      expect(provider.lastCall().json).to.include({ return_documents: true });
      expect((await event()).items).to.deep.equal([{ kind: 'searches', amount: 1, price: 0.002 }]);
    });
  });

  describe('POST /v1/moderations and /v1/rerank', () => {
    it('judge a text, at our own count of it', async () => {
      provider.answer = (response) => sendJson(response, { id: 'm', model: 'omni', results: [{ flagged: false }] });
      const got = await client().moderations.create({ input: ['one two three', 'four'] });
      expect(got.results).to.deep.equal([{ flagged: false }]);
      expect(provider.lastCall().json.model).to.equal('omni-moderation-latest');
      expect(await event()).to.include({ mode: 'moderations', quota: 8 });
    });

    const ranked = { model: 'jina-reranker-v2', results: [{ index: 1, relevance_score: 0.9, document: { text: 'ocean' } }] };
    const rank = (fields: Record<string, unknown>) =>
      gateway.post(
        '/v1/rerank',
        { query: 'sea', documents: ['mountain', 'ocean'], ...fields },
        { authorization: user.token.authorization },
      );

    it('rank documents by tokens', async () => {
      provider.answer = (response) => sendJson(response, { ...ranked, usage: { total_tokens: 18 } });
      const got = await rank({ model: 'jina-reranker-v2', top_n: 1 });
      expect(await got.json()).to.deep.equal({ ...ranked, usage: { prompt_tokens: 18, total_tokens: 18 } });
      expect(await event()).to.include({ mode: 'rerank', quota: 9 });
    });

    it('weigh every text of a document, where the provider counts none', async () => {
      provider.answer = (response) => sendJson(response, ranked);
      const long = 'many words of a long text '.repeat(4000);
      const quotas: number[] = [];
      for (const document of [
        { text: long },
        { text: '', title: long },
        { text: 'short', parts: [{ title: [long] }] },
        { title: long },
      ] as Record<string, unknown>[]) {
        user = await gateway.user({ balance: 1e9 });
        await (await rank({ model: 'jina-reranker-v2', documents: [document], rank_fields: ['title'] })).json();
        quotas.push(Number((await event()).quota));
      }
      const [asText = 0, ...others] = quotas;
      expect(asText).to.be.above(5_000);
      for (const quota of others) expect(quota / asText).to.be.within(1, 1.05);
    });

    it('rank documents by searches, where they are paid so', async () => {
      provider.answer = (response) => sendJson(response, { ...ranked, meta: { billed_units: { search_units: 1 } } });
      const got = (await (await rank({ model: 'rerank-v3.5' })).json()) as { usage: unknown };
      expect(got.usage).to.deep.equal({ prompt_tokens: 0, total_tokens: 0, search_units: 1 });
      expect((await event()).items).to.deep.equal([{ kind: 'searches', amount: 1, price: 0.002 }]);
    });
  });
});
