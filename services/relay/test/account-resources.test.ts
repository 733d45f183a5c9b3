import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { accountResources, fileMark } from '../src/dialects/account-resources.ts';
import { errorOf } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

type Json = Record<string, unknown>;

const buckets = [
  'gs://operators-private-bucket/hr.pdf',
  's3://bucket/key',
  'file:///etc/passwd',
  'oss://bucket/a.png',
  ' GS://b/o',
  'az://c/b',
];
const filesOfGoogle = [
  'https://generativelanguage.googleapis.com/v1beta/files/abc-123',
  'http://GenerativeLanguage.googleapis.com/v1/files/x',
];
const file = (part: Json) => [{ role: 'user', content: [{ type: 'text', text: 'Read this' }, part] }];

const chats: Json[] = [
  ...[...buckets, ...filesOfGoogle].map((url) => ({ messages: file({ type: 'image_url', image_url: { url } }) })),
  { messages: file({ type: 'image_url', image_url: 'gs://bucket/a.png' }) },
  { messages: file({ type: 'file', file: { file_id: 'file-abc' } }) },
  { messages: file({ type: 'file', file: { filename: 'a.pdf', file_data: 'gs://bucket/a.pdf' } }) },
  { messages: file({ type: 'video_url', video_url: { url: 'gs://bucket/a.mp4' } }) },
  { messages: file({ type: 'text', text: 'x' }), extra_body: { google: { cached_content: 'cachedContents/abc' } } },
  { messages: file({ type: 'text', text: 'x' }), cached_content: 'cachedContents/abc' },
  { messages: file({ type: 'text', text: 'x' }), previous_response_id: 'resp_1' },
];
const answers: Json[] = [
  { input: file({ type: 'input_image', file_id: 'file-abc' }) },
  { input: file({ type: 'input_image', image_url: 'gs://bucket/a.png' }) },
  { input: file({ type: 'input_file', file_id: 'file-abc' }) },
  { input: file({ type: 'input_file', file_url: 's3://bucket/a.pdf' }) },
];
const messages: Json[] = [
  { messages: file({ type: 'image', source: { type: 'file', file_id: 'file_abc' } }) },
  { messages: file({ type: 'document', source: { type: 'file', file_id: 'file_abc' } }) },
  { messages: file({ type: 'image', source: { type: 'url', url: 'gs://bucket/a.png' } }) },
  { messages: file({ type: 'container_upload', file_id: 'file_abc' }) },
];
/** Each field of the list, by itself and within what it belongs to, as callers write it at each depth. */
const named = accountResources.flatMap(({ fields }) =>
  fields.flatMap(({ field, within }): Json[] => {
    if (within === undefined) return [{ [field]: 'abc' }, { [field]: ['abc'] }];
    return within === 'image_generation_call' ? [{ type: within, [field]: 'abc' }] : [{ [within]: { [field]: 'abc' } }];
  }),
);
const deep: Json[] = named.flatMap((one) => [
  { messages: [{ role: 'assistant', content: 'x', ...one }] },
  { messages: file({ type: 'text', text: 'x', ...one }) },
  { messages: file({ type: 'text', text: 'x' }), extra_body: { deep: [one] } },
]);
chats.push(
  ...deep,
  { messages: [{ role: 'assistant', audio: { id: 'audio_abc' } }] },
  { messages: [{ role: 'system', content: `${fileMark}file-fe-abc` }] },
  { messages: file({ type: 'text', text: `${fileMark}file-fe-abc` }) },
  { messages: [{ role: 'cache', content: 'cache_id=cache-abc;reset_ttl=3600' }] },
  { messages: [{ role: 'Cache', content: 'tag=theirs' }] },
);
const media: [path: string, body: Json][] = [
  ...named.map((one): [string, Json] => ['/v1/images/generations', { prompt: 'x', nested: [one] }]),
  ['/v1/images/generations', { prompt: 'x', image: 'gs://bucket/a.png' }],
  ['/v1/images/generations', { prompt: 'x', images: ['gs://bucket/a.png'] }],
  ['/v1/images/generations', { prompt: 'x', mask: { file_id: 'file-abc' } }],
  ['/v1/images/generations', { prompt: 'x', mask: { File_ID: 'file-abc' } }],
  ['/v1/images/generations', { prompt: 'x', 'file_id ': 'file-abc' }],
  ['/v1/audio/speech', { input: 'x', voice: { id: 'voice_abc' } }],
  ['/v1/embeddings', { input: 'x', file_id: 'file-abc' }],
  ['/v1/moderations', { input: [{ type: 'image_url', image_url: { url: 'gs://bucket/a.png' } }] }],
  ['/v1/completions', { prompt: 'x', extra_body: { cached_content: 'abc' } }],
];
const parts = (part: Json) => ({ contents: [{ role: 'user', parts: [{ text: 'Read this' }, part] }] });
const contents: Json[] = [...buckets, ...filesOfGoogle, 'files/abc-123', 'abc'].flatMap((fileUri) => [
  parts({ fileData: { fileUri, mimeType: 'application/pdf' } }),
  parts({ file_data: { file_uri: fileUri, mime_type: 'image/png' } }),
]);

const dialects: [says: string, path: (model: string) => string, bodies: Json[], common: Json][] = [
  ['OpenAI’s dialect', () => '/v1/chat/completions', chats, {}],
  ['Responses’ dialect', () => '/v1/responses', answers, {}],
  ['Anthropic’s dialect', () => '/v1/messages', messages, { max_tokens: 9 }],
  ['Gemini’s dialect', (model) => `/v1beta/models/${model}:generateContent`, contents, {}],
];

describe('What is kept in the operator’s account at a provider', () => {
  let gateway: Gateway;
  let user: TestUser;
  const kinds = {
    openai: { type: 1, setting: {} },
    responses: { type: 1, setting: { responses: true } },
    claude: { type: 14 },
    gemini: { type: 24 },
  };
  const models = Object.keys(kinds).flatMap((name) => [name, `open-${name}`]);

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user({ balance: 1e9 });
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))), RetryTimes: '0' });
    await gateway.channels(
      Object.entries(kinds).flatMap(([model, { type, ...more }]) => {
        const setting = 'setting' in more ? more.setting : {};
        return [
          { type, models: [model], setting: JSON.stringify(setting) },
          { type, models: [`open-${model}`], setting: JSON.stringify({ ...setting, account_resources: true }) },
        ];
      }),
    );
    for (const model of models) await untilServed(gateway, user.token, model);
  });
  after(() => gateway.stop());
  beforeEach(() => gateway.provider.reset());

  const ask = (path: string, body: Json) => gateway.post(path, body, { authorization: user.token.authorization });

  for (const [says, path, bodies, common] of dialects) {
    it(`is refused in ${says}, whichever provider serves, and nothing is asked or held`, async () => {
      for (const model of Object.keys(kinds)) {
        for (const body of bodies) {
          const answer = await ask(path(model), { model, ...common, ...body });
          const { message } = await errorOf(answer);
          expect(answer.status, `${model} ${JSON.stringify(body)}: ${message}`).to.equal(400);
          expect(message, JSON.stringify(body)).to.match(/provider’s account|container affects/);
        }
      }
      expect(gateway.provider.calls).to.have.length(0);
      await eventually(async () => expect(await gateway.held(user)).to.equal(0));
    });
  }

  it('is refused of pictures, speech, embeddings and texts without chat', async () => {
    for (const [path, body] of media) {
      const answer = await ask(path, { model: 'openai', ...body });
      const { message } = await errorOf(answer);
      expect(answer.status, `${path} ${JSON.stringify(body)}: ${message}`).to.equal(400);
      expect(message, JSON.stringify(body)).to.match(/provider’s account/);
    }
    expect(gateway.provider.calls).to.have.length(0);
  });

  it('is passed on where the channel’s setting allows it', async () => {
    const opened: [path: string, body: Json][] = [
      ['/v1/chat/completions', { model: 'open-openai', ...chats[9] }],
      ['/v1/messages', { model: 'open-claude', max_tokens: 9, ...messages[0] }],
      ['/v1beta/models/open-gemini:generateContent', contents[0] as Json],
    ];
    for (const [path, body] of opened) {
      const answer = await ask(path, body);
      expect(answer.status, `${path}: ${await answer.text()}`).to.equal(200);
    }
    expect(gateway.provider.calls).to.have.length(opened.length);
  });

  it('is no picture by a public address, no data URL, and nothing in what callers define', async () => {
    const plain = file({ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==' } });
    const tools = [
      { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: { file_id: { type: 'string' } } } } },
    ];
    for (const body of [
      { messages: plain },
      { messages: file({ type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } }) },
      { messages: [{ role: 'user', content: 'gs://bucket/a is what I read about, and file_id' }], tools },
    ]) {
      const answer = await ask('/v1/chat/completions', { model: 'openai', ...body });
      expect(answer.status, `${JSON.stringify(body)}: ${await answer.text()}`).to.equal(200);
    }
  });
});
