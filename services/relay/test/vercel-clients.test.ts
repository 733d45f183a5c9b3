import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, jsonSchema, type LanguageModel, stepCountIs, streamText, tool } from 'ai';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { picture, showsPicture } from './support/pictures.ts';

interface City {
  city: string;
}

/** Each kind of upstream, and whom its first recorded call of the tool asks the weather of. */
const upstreams = {
  'gpt-x': { type: 1, tools: 'openai/tool-call', cities: ['Oslo'] },
  'claude-x': { type: 14, tools: 'anthropic/tool-call', cities: ['Lima'] },
  'gemini-x': { type: 24, tools: 'gemini/tool-call', cities: ['Cairo', 'Rome'] },
};
type Upstream = keyof typeof upstreams;

/** Each client meets the dialects that are none of its own. */
const clients: { name: string; open(at: { url: string; key: string }): (model: string) => LanguageModel; meets: Upstream[] }[] = [
  {
    name: 'OpenAI’s chat',
    open: ({ url, key }) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).chat,
    meets: ['claude-x', 'gemini-x'],
  },
  {
    name: 'OpenAI’s responses',
    open: ({ url, key }) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key }).responses,
    meets: ['gpt-x', 'claude-x', 'gemini-x'],
  },
  {
    name: 'Anthropic’s messages',
    open: ({ url, key }) => createAnthropic({ baseURL: `${url}/v1`, apiKey: key }),
    meets: ['gpt-x', 'gemini-x'],
  },
  {
    name: 'Gemini’s contents',
    open: ({ url, key }) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey: key }),
    meets: ['gpt-x', 'claude-x'],
  },
];

describe('Vercel’s package ai', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    const models = Object.keys(upstreams);
    await gateway.channels(Object.entries(upstreams).map(([model, { type }]) => ({ type, models: [model] })));
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))) });
    await untilServed(gateway, user.token, 'gemini-x');
  });
  after(() => gateway?.stop());
  beforeEach(() => gateway.provider.reset());

  for (const { name, open, meets } of clients) {
    for (const upstream of meets) {
      it(`that speaks ${name} hears ${upstream} whole, in a stream, and in a round of its tools`, async () => {
        const model = open({ url: gateway.url, key: `sk-${user.token.key}` })(upstream);
        const prompt = 'What is the weather?';
        // Without it this client sends names of items instead of items, and answers are not kept.
        const providerOptions = { openai: { store: false } };
        const settings = { maxRetries: 0, maxOutputTokens: 100, providerOptions };
        gateway.provider.answers({ words: 6, promptTokens: 12 });

        const whole = await generateText({ model, prompt, ...settings });
        expect(whole.text.trim()).to.equal('w0 w1 w2 w3 w4 w5');
        expect(whole.finishReason).to.equal('stop');
        expect(whole.usage).to.include({ inputTokens: 12, outputTokens: 6 });

        const stream = streamText({ model, prompt, ...settings });
        const pieces: string[] = [];
        for await (const piece of stream.textStream) pieces.push(piece);
        expect(pieces.length).to.be.greaterThan(1);
        expect(pieces.join('').trim()).to.equal('w0 w1 w2 w3 w4 w5');
        expect(await stream.usage).to.include({ inputTokens: 12, outputTokens: 6 });

        const { tools: recorded, cities } = upstreams[upstream];
        const asked: string[] = [];
        const weather = tool({
          description: 'Tells the weather',
          inputSchema: jsonSchema<City>({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
          execute: ({ city }: City) => {
            asked.push(city);
            return `sunny in ${city}`;
          },
        });
        gateway.provider.answersNext({ case: recorded });
        const round = await generateText({ model, prompt, tools: { get_weather: weather }, stopWhen: stepCountIs(3), ...settings });
        expect(asked).to.deep.equal(cities);
        expect(round.steps).to.have.length(2);
        expect(round.text.trim()).to.equal('w0 w1 w2 w3 w4 w5');
        for (const city of cities) expect(gateway.provider.lastCall().body, 'what the tool said').to.contain(`sunny in ${city}`);
      });

      it(`that speaks ${name} shows ${upstream} a picture`, async () => {
        const model = open({ url: gateway.url, key: `sk-${user.token.key}` })(upstream);
        gateway.provider.answers({ words: 6, promptTokens: 300 });
        const content = [
          { type: 'text' as const, text: 'What is this?' },
          { type: 'file' as const, data: picture, mediaType: 'image/png' },
        ];
        const seen = await generateText({ model, messages: [{ role: 'user', content }], maxRetries: 0, maxOutputTokens: 100 });
        expect(seen.text.trim()).to.equal('w0 w1 w2 w3 w4 w5');
        expect(seen.usage).to.include({ inputTokens: 300, outputTokens: 6 });
        const { json, body } = gateway.provider.lastCall();
        expect(showsPicture(json, upstreams[upstream].type), body).to.equal(true);
      });
    }
  }
});
