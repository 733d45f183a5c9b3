import { ChatAnthropic } from '@langchain/anthropic';
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatGoogleGenerativeAI } from '@langchain/google-genai';
import { ChatOpenAI } from '@langchain/openai';
import { expect } from 'chai';
import { z } from 'zod';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';
import { pictureUrl, showsPicture } from './support/pictures.ts';

/** Each kind of upstream, and whom its recorded call of the tool asks the weather of. */
const upstreams = {
  'gpt-x': { type: 1, tools: 'openai/tool-call', cities: ['Oslo'] },
  'claude-x': { type: 14, tools: 'anthropic/tool-call', cities: ['Lima'] },
  'gemini-x': { type: 24, tools: 'gemini/tool-call', cities: ['Cairo', 'Rome'] },
};
type Upstream = keyof typeof upstreams;

/** Google’s client shows pictures to models of a known name alone. */
const thatSees = (model: string) => `gemini-2.5-${model}`;

interface Place {
  url: string;
  apiKey: string;
}

/** Each chat client meets the dialects that are none of its own. */
const clients: { name: string; open(at: Place, model: string): BaseChatModel; meets: Upstream[] }[] = [
  {
    name: 'ChatOpenAI',
    open: ({ url, apiKey }, model) =>
      new ChatOpenAI({ model, apiKey, maxRetries: 0, maxTokens: 100, configuration: { baseURL: `${url}/v1` } }),
    meets: ['claude-x', 'gemini-x'],
  },
  {
    name: 'ChatAnthropic',
    open: ({ url, apiKey }, model) => new ChatAnthropic({ model, apiKey, maxRetries: 0, maxTokens: 100, anthropicApiUrl: url }),
    meets: ['gpt-x', 'gemini-x'],
  },
  {
    name: 'ChatGoogleGenerativeAI',
    open: ({ url, apiKey }, model) => new ChatGoogleGenerativeAI({ model, apiKey, maxRetries: 0, maxOutputTokens: 100, baseUrl: url }),
    meets: ['gpt-x', 'claude-x'],
  },
];

const weather = tool(({ city }) => `Rain in ${city}`, {
  name: 'get_weather',
  description: 'Tells the weather of a city',
  schema: z.object({ city: z.string(), unit: z.string().optional() }),
});

describe('LangChain’s chat clients', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    const models = Object.keys(upstreams).flatMap((model) => [model, thatSees(model)]);
    await gateway.channels(Object.entries(upstreams).map(([model, { type }]) => ({ type, models: [model, thatSees(model)] })));
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))) });
    await untilServed(gateway, user.token, 'gemini-x');
  });
  after(() => gateway?.stop());
  beforeEach(() => gateway.provider.reset());

  for (const { name, open, meets } of clients) {
    for (const upstream of meets) {
      it(`${name} hears ${upstream} whole, in a stream, and in a round of its tools`, async () => {
        const model = open({ url: gateway.url, apiKey: `sk-${user.token.key}` }, upstream);
        const question = new HumanMessage('What is the weather?');
        gateway.provider.answers({ words: 6, promptTokens: 12 });
        const whole = await model.invoke([question]);
        expect(whole.text.trim()).to.equal('w0 w1 w2 w3 w4 w5');
        expect(whole.usage_metadata).to.include({ input_tokens: 12, output_tokens: 6 });

        const pieces: string[] = [];
        for await (const piece of await model.stream([question])) pieces.push(piece.text);
        expect(pieces.filter((text) => text !== '').length).to.be.greaterThan(1);
        expect(pieces.join('').trim()).to.equal('w0 w1 w2 w3 w4 w5');

        const { tools, cities } = upstreams[upstream];
        gateway.provider.answers({ case: tools });
        const armed = model.bindTools?.([weather]);
        if (armed === undefined) throw new Error(`${name} takes no tools`);
        const asking = await armed.invoke([question]);
        expect(asking.tool_calls?.map(({ args }) => args.city)).to.deep.equal(cities);
        const results = (asking.tool_calls ?? []).map(
          ({ id = '', name: called, args }) => new ToolMessage({ tool_call_id: id, name: called, content: `Rain in ${String(args.city)}` }),
        );
        gateway.provider.answers({ words: 3 });
        expect((await armed.invoke([question, asking, ...results])).text.trim()).to.equal('w0 w1 w2');
        for (const city of cities) expect(gateway.provider.lastCall().body, 'what the tool said').to.contain(`Rain in ${city}`);
      });

      it(`${name} shows ${upstream} a picture`, async () => {
        const model = open({ url: gateway.url, apiKey: `sk-${user.token.key}` }, thatSees(upstream));
        gateway.provider.answers({ words: 6, promptTokens: 300 });
        const content = [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: pictureUrl } },
        ];
        const seen = await model.invoke([new HumanMessage({ content })]);
        expect(seen.text.trim()).to.equal('w0 w1 w2 w3 w4 w5');
        expect(seen.usage_metadata).to.include({ input_tokens: 300, output_tokens: 6 });
        const { json, body } = gateway.provider.lastCall();
        expect(showsPicture(json, upstreams[upstream].type), body).to.equal(true);
      });
    }
  }
});
