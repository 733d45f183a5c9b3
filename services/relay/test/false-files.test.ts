import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000001', 'hex');
const jpeg = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex');
const webp = Buffer.from('52494646240000005745425056503820', 'hex');
const pdf = Buffer.from('%PDF-1.7\n');
const page = Buffer.from('\n<!DOCTYPE html><title>gone</title>');
const json = Buffer.from('{"error":"no such picture"}');

interface Served {
  type?: string;
  body: Buffer;
  /** What is sent to the model; undefined: it is refused. */
  as?: string;
}

/** What stands at an address, whatever it is called. */
const served: Record<string, Served> = {
  'a picture': { type: 'image/png', body: png, as: 'image/png' },
  'a picture of another form': { type: 'image/png', body: jpeg, as: 'image/jpeg' },
  'a picture said to be text': { type: 'text/plain', body: webp, as: 'image/webp' },
  'a picture without a type': { body: png, as: 'image/png' },
  'a document said to be bytes': { type: 'application/octet-stream', body: pdf, as: 'application/pdf' },
  'sound with a parameter': { type: 'audio/mpeg; rate=1', body: Buffer.from('ID3'), as: 'audio/mpeg' },
  'a page said to be a picture': { type: 'image/png', body: page },
  'a page said to be a document': { type: 'application/pdf', body: page },
  'JSON said to be a picture': { type: 'image/webp', body: json },
  'nothing said to be a picture': { type: 'image/png', body: Buffer.alloc(0) },
  'nothing said to be text': { type: 'text/plain', body: Buffer.alloc(0) },
  'half a mark': { type: 'image/png', body: png.subarray(0, 3) },
  'a type that is none': { type: 'image/', body: json },
};

const bytes = (of: Buffer) => of.toString('base64');
/** The alphabet of base64 that may stand in addresses. */
const ofAddresses = (data: string) => data.replaceAll('+', '-').replaceAll('/', '_');
const url = (type: string, data: string) => `data:${type};base64,${data}`;

/** What a request may hold in itself, as each dialect says a picture, and why it is refused; undefined: it is sent as this type. */
const held: [title: string, type: string, data: string, outcome: { as: string } | { words: RegExp }][] = [
  ['a picture of another form', 'image/png', bytes(jpeg), { as: 'image/jpeg' }],
  ['the old name of a form', 'image/jpg', bytes(jpeg), { as: 'image/jpeg' }],
  ['base64 of addresses', 'image/png', ofAddresses(bytes(jpeg)), { as: 'image/jpeg' }],
  ['no type', '', bytes(png), { words: /m(?:edia|ime)[ _]?type/i }],
  ['half a type', 'image', bytes(png), { words: /m(?:edia|ime)[ _]?type/i }],
  ['no data', 'image/png', '', { words: /is empty/ }],
  ['no base64', 'image/png', '<html>!</html>', { words: /is not base64/ }],
  ['a document said to be a picture', 'image/png', bytes(pdf), { words: /not of the type image\/png/ }],
  ['a page said to be a picture', 'image/png', bytes(page), { words: /not of the type image\/png/ }],
];

const picturesOf = {
  OpenAI: (model: string, type: string, data: string) => [
    '/v1/chat/completions',
    { model, messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: url(type, data) } }] }] },
  ],
  Anthropic: (model: string, type: string, data: string) => [
    '/v1/messages',
    {
      model,
      max_tokens: 10,
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: type, data } }] }],
    },
  ],
  Responses: (model: string, type: string, data: string) => [
    '/v1/responses',
    { model, input: [{ role: 'user', content: [{ type: 'input_image', image_url: url(type, data) }] }] },
  ],
  Gemini: (model: string, type: string, data: string) => [
    `/v1beta/models/${model}:generateContent`,
    { contents: [{ role: 'user', parts: [{ inlineData: { mimeType: type, data } }] }] },
  ],
} satisfies Record<string, (model: string, type: string, data: string) => unknown[]>;

describe('Files that are not what they are said to be', () => {
  let gateway: Gateway;
  let user: TestUser;
  let files: Server;
  let base: string;

  before(async function () {
    this.timeout(60_000);
    gateway = await startGateway();
    files = createServer((request, response) => {
      const { type, body } = served[decodeURIComponent((request.url ?? '').slice(1))] as Served;
      if (type !== undefined) response.setHeader('content-type', type);
      response.end(body);
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(files.address() as AddressInfo).port}`;
    await gateway.options({ SelfUseModeEnabled: 'true', RetryTimes: '2' });
    await gateway.channels([
      { type: 24, models: ['gemini-a'] },
      { type: 14, models: ['claude-a'] },
    ]);
    user = await gateway.user({ balance: 1e12 });
    await untilServed(gateway, user.token, 'claude-a');
  });
  after(async () => {
    await gateway?.stop();
    files?.closeAllConnections();
    files?.close();
  });
  beforeEach(() => gateway.provider.reset());
  const ask = (path: string, body: unknown) => gateway.post(path, body, { authorization: user.token.authorization });

  async function expectRefused(answer: Response, words: RegExp): Promise<void> {
    const text = await answer.text();
    expect(answer.status, text).to.equal(400);
    expect(text).to.match(words);
    expect(gateway.provider.calls, 'nobody was asked').to.have.length(0);
    await eventually(async () => expect(await gateway.openHolds(user)).to.equal(0));
  }

  for (const [title, { as, body }] of Object.entries(served))
    it(`${title}, at an address: ${as === undefined ? 'refused' : `sent as ${as}`}`, async () => {
      const address = `${base}/${encodeURIComponent(title)}`;
      const content = [{ type: 'image_url', image_url: { url: address } }];
      const answer = await ask('/v1/chat/completions', { model: 'gemini-a', messages: [{ role: 'user', content }] });
      if (as === undefined) return expectRefused(answer, /by URL could not be fetched/);
      expect(answer.status, await answer.text()).to.equal(200);
      expect(gateway.provider.lastCall().json)
        .to.have.nested.property('contents[0].parts[0]')
        .that.deep.equals({
          inlineData: { mimeType: as, data: bytes(body) },
        });
    });

  it('is told to callers of Responses by the field that they know', async () => {
    const image_url = `${base}/${encodeURIComponent('a page said to be a picture')}`;
    const input = [{ role: 'user', content: [{ type: 'input_image', image_url }] }];
    const answer = await ask('/v1/responses', { model: 'gemini-a', input });
    const { error } = (await answer.json()) as { error: object };
    expect(error).to.include({ type: 'invalid_request_error', param: 'input' });
  });

  for (const [dialect, pictureOf] of Object.entries(picturesOf)) {
    const model = dialect === 'Anthropic' ? 'gemini-a' : 'claude-a';
    for (const [title, type, data, outcome] of held)
      it(`${title}, in a request in ${dialect}’s dialect: ${'as' in outcome ? `sent as ${outcome.as}` : 'refused'}`, async () => {
        const [path, body] = pictureOf(model, type, data) as [string, unknown];
        const answer = await ask(path, body);
        if ('words' in outcome) return expectRefused(answer, outcome.words);
        expect(answer.status, await answer.text()).to.equal(200);
        const sent = gateway.provider.lastCall().body;
        expect(sent).to.include(outcome.as);
        expect(ofAddresses(sent)).to.include(ofAddresses(data));
      });
  }

  for (const [title, type, data] of [
    ['a picture', 'image/png', bytes(png)],
    ['a page', 'text/html', bytes(page)],
    ['a picture said to be one', 'application/pdf', bytes(png)],
    ['nothing', 'application/pdf', ''],
    ['what has no type', '', bytes(pdf)],
  ] as const)
    it(`a document that is ${title} is refused in Anthropic’s dialect`, async () => {
      const content = [{ type: 'document', source: { type: 'base64', media_type: type, data } }];
      const answer = await ask('/v1/messages', { model: 'gemini-a', max_tokens: 10, messages: [{ role: 'user', content }] });
      await expectRefused(answer, /document of type|not of the type|is empty|media type/);
    });

  for (const [title, sound] of [
    ['no data', { data: '', format: 'wav' }],
    ['no base64', { data: '{}', format: 'wav' }],
    ['a picture', { data: bytes(png), format: 'mp3' }],
    ['no format', { data: 'AAAA', format: '' }],
    ['nothing', undefined],
  ] as const)
    it(`sound that is ${title} is refused`, async () => {
      const content = [{ type: 'input_audio', input_audio: sound }];
      const answer = await ask('/v1/chat/completions', { model: 'gemini-a', messages: [{ role: 'user', content }] });
      await expectRefused(answer, /file/);
    });
});
