import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { type MediaProvider, startMediaProvider } from './support/media-provider.ts';

const balance = 1e12;
const modelRatio = { 'texts-1': 1, 'gpt-image-1': 2.5, 'whisper-1': 15 };
const turn = [{ role: 'user', content: 'Hello' }];
const content = { parts: [{ text: 'Hello' }] };

interface Cell {
  path: string;
  body: unknown;
  words: RegExp;
}
const of = (path: string, cells: [body: unknown, words: RegExp][]): Cell[] => cells.map(([body, words]) => ({ path, body, words }));
const notObjects: [unknown, RegExp][] = [null, [], 'text', 7, true].map((body) => [JSON.stringify(body), /JSON object/]);
const count = '/v1/messages/count_tokens';
const gemini = (method: string) => `/v1beta/models/texts-1:${method}`;

/** Requests that count or embed, in the dialects that have such: what is wrong of each, and the words that name it. */
const cells: Cell[] = [
  ...[count, gemini('countTokens'), gemini('embedContent'), gemini('batchEmbedContents')].flatMap((path) => of(path, notObjects)),
  ...of(count, [
    [{ messages: turn }, /model/],
    [{ model: 7, messages: turn }, /model/],
    [{ model: 'texts-1' }, /messages/],
    [{ model: 'texts-1', messages: [] }, /messages/],
    [{ model: 'texts-1', messages: 'Hello' }, /messages/],
    [{ model: 'texts-1', messages: [null] }, /messages\[0\]/],
    [{ model: 'texts-1', messages: [{ role: 'user' }] }, /messages\[0\]/],
    [{ model: 'texts-1', messages: [{ role: 'user', content: 7 }] }, /messages\[0\]/],
    [{ model: 'texts-1', messages: [{ role: 'user', content: [7] }] }, /messages\[0\]/],
    [{ model: 'texts-1', messages: [{ role: 'user', content: [{ type: 'text' }] }] }, /messages\[0\]/],
    [{ model: 'texts-1', messages: [{ content: 'Hello' }] }, /messages\[0\]/],
    [{ model: 'texts-1', messages: turn, system: 7 }, /system/],
    [{ model: 'texts-1', messages: turn, system: [7] }, /system/],
    [{ model: 'texts-1', messages: turn, tools: 'x' }, /tools/],
    [{ model: 'texts-1', messages: turn, tools: [7] }, /tools/],
    [{ model: 'texts-1', messages: turn, Tools: [] }, /Tools must be written tools/],
    [{ model: 'texts-1', messages: turn, stream: 'yes' }, /stream/],
  ]),
  ...of(gemini('countTokens'), [
    [{}, /contents/],
    [{ contents: [] }, /contents/],
    [{ contents: 7 }, /contents/],
    [{ contents: [7] }, /contents/],
    [{ contents: [{ parts: 7 }] }, /parts/],
    [{ contents: [{ parts: [7] }] }, /parts/],
    [{ contents: [{ parts: [{ text: 7 }] }] }, /text/],
    [{ contents: [{ parts: [{}] }] }, /parts/],
    [{ contents: [{ parts: [{ inlineData: 'x' }] }] }, /inlineData/],
    [{ contents: [{ parts: [{ inlineData: { data: 'x' } }] }] }, /inlineData/],
    [{ contents: [{ parts: [{ fileData: {} }] }] }, /fileUri/],
    [{ contents: [{ parts: [{ text: 'x' }] }], generationConfig: [] }, /generationConfig/],
    [{ contents: [content], tools: 'x' }, /tools/],
    [{ contents: [content], systemInstruction: 7 }, /systemInstruction/],
    [{ generateContentRequest: 'x' }, /generateContentRequest/],
    [{ generateContentRequest: {} }, /contents/],
    [{ generateContentRequest: { contents: [7] } }, /contents/],
  ]),
  ...of(gemini('embedContent'), [
    [{}, /content is required/],
    [{ content: 'x' }, /content/],
    [{ content: {} }, /content must hold a text/],
    [{ content: { parts: 'x' } }, /parts/],
    [{ content: { parts: [7] } }, /parts/],
    [{ content: { parts: [] } }, /content must hold a text/],
    [{ content: { parts: [{ text: '' }] } }, /content must hold a text/],
    [{ content, outputDimensionality: -1 }, /[dD]imension/],
    [{ content, outputDimensionality: '3' }, /[dD]imension/],
    [{ content, outputDimensionality: 3, output_dimensionality: 4 }, /outputDimensionality and output_dimensionality/],
    [{ content, embedContentConfig: 'x' }, /embedContentConfig/],
    [{ content, embedContentConfig: { documentOcr: true } }, /documentOcr/],
  ]),
  ...of(gemini('batchEmbedContents'), [
    [{}, /requests is required/],
    [{ requests: [] }, /requests is required/],
    [{ requests: 'x' }, /requests/],
    [{ requests: [null] }, /requests/],
    [{ requests: [{ content }, {}] }, /requests\[1\]\.content is required/],
    [{ requests: [{ content }, { content: 'x' }] }, /content/],
    [{ requests: [{ content }, { content: { parts: [{ text: '' }] } }] }, /requests\[1\]\.content/],
    [{ requests: [{ content, outputDimensionality: 0 }] }, /[dD]imension/],
  ]),
];

const line = (name: string, more = '') => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n`;
const field = (name: string, value: string) => `${line(name)}\r\n${value}\r\n`;
const file = (name: string, bytes: string, { as = 'a.bin', type = 'application/octet-stream' } = {}) =>
  `${line(name, `; filename="${as}"`)}Content-Type: ${type}\r\n\r\n${bytes}\r\n`;
const end = '--b--\r\n';

/** Forms that are none, of each route that takes one. `own` is the file that it needs. */
const forms = (own: string): [what: string, form: string, words: RegExp][] => [
  ['without an end', file(own, 'x'), /not a valid form/],
  ['that begins with no boundary', `x${end}`, /not a valid form|is required/],
  ['of another boundary', file(own, 'x').replaceAll('--b', '--c') + end.replace('b', 'c'), /not a valid form/],
  ['that is empty', '', /not a valid form/],
  ['of nothing but its end', end, /is required|not a valid form/],
  ['with a part without a name', `${file(own, 'x')}--b\r\nContent-Disposition: form-data\r\n\r\nvalue\r\n${end}`, /has no name/],
  ['with a file without a name', `--b\r\nContent-Disposition: form-data; filename="a"\r\n\r\nx\r\n${end}`, /a file of it has no name/],
  ['with a field of no name', `${file(own, 'x')}${field('', 'value')}${end}`, /has no name/],
  ['with its file as a text', `${field(own, 'x')}${end}`, new RegExp(`${own} is required`)],
  [
    'with a second file that is empty',
    `${field('prompt', 'x')}${file(own, 'x')}${file('mask', '')}${end}`,
    /mask must not be empty|one file/,
  ],
  ['with an empty file', `${field('prompt', 'x')}${file(own, '')}${end}`, new RegExp(`${own} must not be empty`)],
  ['with two models', `${field('prompt', 'x')}${field('model', 'a')}${field('model', 'b')}${file(own, 'x')}${end}`, /model/],
  ['with two prompts', `${field('prompt', 'x')}${field('prompt', 'y')}${file(own, 'x')}${end}`, /prompt must be a text/],
];
const formRoutes = {
  '/v1/images/edits': 'image',
  '/v1/images/variations': 'image',
  '/v1/audio/transcriptions': 'file',
  '/v1/audio/translations': 'file',
};

describe('What has the wrong shape', () => {
  let gateway: Gateway;
  let provider: MediaProvider;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    provider = await startMediaProvider();
    await gateway.options({ ModelRatio: JSON.stringify(modelRatio), ModelPrice: JSON.stringify({ 'dall-e-2': 0.02 }), RetryTimes: '0' });
    await gateway.channel({ baseUrl: provider.url, models: [...Object.keys(modelRatio), 'dall-e-2'] });
    await untilServed(gateway, (await gateway.user()).token, 'dall-e-2');
    user = await gateway.user({ balance });
  });
  after(async () => {
    await gateway?.stop();
    await provider?.close();
  });
  afterEach('it is free, and nobody was asked', async () => {
    expect(provider.calls).to.have.length(0);
    await eventually(async () => expect([await gateway.held(user), await gateway.openHolds(user)]).to.deep.equal([0, 0]));
    expect((await gateway.wallet.balance(user.id)).balance).to.equal(balance);
  });

  /** In the words of the dialect that was asked in. */
  async function expectRefused(path: string, answer: Response, words: RegExp): Promise<void> {
    const text = await answer.text();
    expect(answer.status, text).to.equal(400);
    const { type, error } = JSON.parse(text) as { type?: string; error: Record<string, unknown> };
    expect(error.message).to.match(words);
    if (path === count) expect([type, error.type]).to.deep.equal(['error', 'invalid_request_error']);
    else if (path.startsWith('/v1beta')) expect(error).to.include({ code: 400, status: 'INVALID_ARGUMENT' });
    else expect(error.type).to.equal('invalid_request_error');
  }

  for (const path of new Set(cells.map((cell) => cell.path))) {
    const own = cells.filter((cell) => cell.path === path);
    it(`is refused by name at ${path}: ${own.length} bodies`, async () => {
      for (const { body, words } of own) {
        const answer = await gateway.post(path, body, { authorization: user.token.authorization });
        await expectRefused(path, answer, words).catch((error: unknown) => {
          throw new Error(`${JSON.stringify(body)}: ${String(error)}`);
        });
      }
    });
  }

  for (const [path, own] of Object.entries(formRoutes)) {
    for (const [what, form, words] of forms(own)) {
      it(`is refused at ${path}: a form ${what}`, async () => {
        const headers = { authorization: user.token.authorization, 'content-type': 'multipart/form-data; boundary=b' };
        await expectRefused(path, await fetch(gateway.url + path, { method: 'POST', headers, body: form }), words);
      });
    }
  }
});
