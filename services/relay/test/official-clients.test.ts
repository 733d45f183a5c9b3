import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { wireSample } from '@tollgate/testing';
import { expect } from 'chai';
import OpenAI from 'openai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

/** Each client meets three dialects at least that are none of its own. */
const upstreams = [
  { type: 1, name: 'openai', tools: 'openai/tool-call' },
  { type: 14, name: 'anthropic', tools: 'anthropic/tool-call' },
  { type: 24, name: 'gemini', tools: 'gemini/tool-call' },
  { type: 42, name: 'mistral', tools: undefined },
  { type: 34, name: 'cohere', tools: undefined },
];
/** Embeddings, in dialects that are none of OpenAI’s. */
const embedding = [
  { type: 34, model: 'cohere-embed', recorded: 'cohere/v2-embed' },
  { type: 4, model: 'ollama-embed', recorded: 'ollama/embeddings' },
  { type: 24, model: 'gemini-embed', recorded: 'gemini/embeddings-single' },
];
const recordedWhole = 'cohere/v2-chat';
const schema = { type: 'object' as const, properties: { city: { type: 'string' } } };
const function_ = { name: 'get_weather', parameters: schema };
const messages = [{ role: 'user' as const, content: 'Hi' }];

interface Asked {
  model: string;
}
type Calls = { name: string | undefined; args: unknown }[];

/** What a client hears whole, in pieces, and in calls of tools. */
interface Client {
  name: string;
  whole(asked: Asked): Promise<string | null | undefined>;
  streamed(asked: Asked): Promise<string>;
  called(asked: Asked): Promise<Calls>;
}

function clientsAt(url: string, apiKey: string): Client[] {
  const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: url, apiKey, maxRetries: 0 });
  const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url } });
  const texts = (content: Anthropic.ContentBlock[]) => content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  return [
    {
      name: 'openai, chat',
      whole: async (asked) => (await openai.chat.completions.create({ ...asked, messages })).choices[0]?.message.content,
      streamed: async (asked) =>
        (await openai.chat.completions.stream({ ...asked, messages }).finalChatCompletion()).choices[0]?.message.content ?? '',
      async called(asked) {
        const answer = await openai.chat.completions.create({ ...asked, messages, tools: [{ type: 'function', function: function_ }] });
        return (answer.choices[0]?.message.tool_calls ?? []).flatMap((call) =>
          call.type === 'function' ? [{ name: call.function.name, args: JSON.parse(call.function.arguments) as unknown }] : [],
        );
      },
    },
    {
      name: 'openai, responses',
      whole: async (asked) => (await openai.responses.create({ ...asked, input: 'Hi' })).output_text,
      streamed: async (asked) => (await openai.responses.stream({ ...asked, input: 'Hi' }).finalResponse()).output_text,
      async called(asked) {
        const { output } = await openai.responses.create({
          ...asked,
          input: 'Hi',
          tools: [{ type: 'function', ...function_, strict: false }],
        });
        return output.flatMap((item) =>
          item.type === 'function_call' ? [{ name: item.name, args: JSON.parse(item.arguments) as unknown }] : [],
        );
      },
    },
    {
      name: '@anthropic-ai/sdk',
      whole: async (asked) => texts((await anthropic.messages.create({ ...asked, max_tokens: 50, messages })).content),
      streamed: async (asked) => texts((await anthropic.messages.stream({ ...asked, max_tokens: 50, messages }).finalMessage()).content),
      async called(asked) {
        const tools = [{ name: function_.name, input_schema: schema }];
        const { content } = await anthropic.messages.create({ ...asked, max_tokens: 50, messages, tools });
        return content.flatMap((block) => (block.type === 'tool_use' ? [{ name: block.name, args: block.input }] : []));
      },
    },
    {
      name: '@google/genai',
      whole: async (asked) => (await google.models.generateContent({ ...asked, contents: 'Hi' })).text,
      async streamed(asked) {
        let text = '';
        for await (const piece of await google.models.generateContentStream({ ...asked, contents: 'Hi' })) text += piece.text ?? '';
        return text;
      },
      async called(asked) {
        const tools = [{ functionDeclarations: [{ name: function_.name, parametersJsonSchema: schema }] }];
        const { functionCalls = [] } = await google.models.generateContent({ ...asked, contents: 'Hi', config: { tools } });
        return functionCalls.map(({ name, args }) => ({ name, args }));
      },
    },
  ];
}

const names = clientsAt('http://127.0.0.1', 'none').map(({ name }) => name);

describe('The official clients', () => {
  let gateway: Gateway;
  let user: TestUser;
  let clients: Client[];

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    const modelsOf = (name: string) => [`${name}-plain`, `${name}-tools`, `${name}-runner`];
    const models = upstreams.flatMap(({ name }) => modelsOf(name));
    const priced = [...models, ...embedding.map(({ model }) => model)];
    await gateway.channels([
      ...upstreams.map(({ type, name }) => ({ type, models: modelsOf(name), key: 'upstream-key' })),
      ...embedding.map(({ type, model }) => ({ type, models: [model], key: 'upstream-key' })),
    ]);
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(priced.map((model) => [model, 1]))) });
    await untilServed(gateway, user.token, 'gemini-embed');
    for (const { model, recorded } of embedding) gateway.provider.answers({ case: recorded }, model);
    for (const { name, tools } of upstreams) {
      gateway.provider.answers(name === 'cohere' ? { case: recordedWhole } : { words: 6 }, `${name}-plain`);
      if (tools !== undefined) gateway.provider.answers({ case: tools }, `${name}-tools`);
    }
    clients = clientsAt(gateway.url, `sk-${user.token.key}`);
  });
  after(() => gateway?.stop());

  for (const [at, client] of names.entries()) {
    for (const { name, tools } of upstreams) {
      it(`${client} hears a provider of the kind ${name} whole, in pieces and in calls of tools`, async () => {
        const { whole, streamed, called } = clients[at] as Client;
        const words = name === 'cohere' ? wireSample(recordedWhole).expect?.content : 'w0 w1 w2 w3 w4 w5';
        expect((await whole({ model: `${name}-plain` }))?.trim()).to.equal(words);
        if (name !== 'cohere') expect((await streamed({ model: `${name}-plain` })).trim()).to.equal(words);
        if (tools === undefined) return;
        const wanted = wireSample(tools).expect?.tool_calls ?? [];
        expect(await called({ model: `${name}-tools` })).to.deep.equal(wanted.map((call) => ({ name: call.name, args: call.arguments })));
      });
    }
  }

  /** First a call of the tool, and words as soon as the tool is run. */
  function untilCalled({ name, tools = '' }: (typeof upstreams)[number]): { model: string; run(args: unknown): string; asked: unknown[] } {
    const model = `${name}-runner`;
    gateway.provider.answers({ case: tools }, model);
    const asked: unknown[] = [];
    const run = (args: unknown) => {
      asked.push(args);
      gateway.provider.answers({ words: 3 }, model);
      return 'Rain';
    };
    return { model, run, asked };
  }

  for (const upstream of upstreams.filter(({ tools }) => tools !== undefined)) {
    const wanted = (wireSample(upstream.tools ?? '').expect?.tool_calls ?? []).map((call) => call.arguments);
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const ofOpenAi = (run: (args: unknown) => string) => ({
      type: 'function' as const,
      function: { name: function_.name, description: 'w', parameters, parse: (text: string) => JSON.parse(text) as object, function: run },
    });
    const ofAnthropic = (run: (args: unknown) => string) => ({
      type: 'custom' as const,
      name: function_.name,
      input_schema: schema,
      run,
      parse: (args: unknown) => args,
    });

    it(`openai runs the tools of a provider of the kind ${upstream.name} by itself, whole and in pieces`, async () => {
      const openai = gateway.client(user.token);
      for (const stream of [false, true]) {
        const { model, run, asked } = untilCalled(upstream);
        const settings = { model, messages, tools: [ofOpenAi(run)] };
        const runner = stream ? openai.chat.completions.runTools({ ...settings, stream }) : openai.chat.completions.runTools(settings);
        expect((await runner.finalContent())?.trim()).to.equal('w0 w1 w2');
        expect(asked).to.deep.equal(wanted);
      }
    });

    it(`@anthropic-ai/sdk runs the tools of a provider of the kind ${upstream.name} by itself, whole and in pieces`, async () => {
      const anthropic = new Anthropic({ baseURL: gateway.url, apiKey: `sk-${user.token.key}`, maxRetries: 0 });
      for (const stream of [false, true]) {
        const { model, run, asked } = untilCalled(upstream);
        const runner = anthropic.beta.messages.toolRunner({ model, max_tokens: 50, messages, tools: [ofAnthropic(run)], stream });
        const { content } = await runner.runUntilDone();
        expect(content.map((block) => (block.type === 'text' ? block.text.trim() : block.type)).join('')).to.equal('w0 w1 w2');
        expect(asked).to.deep.equal(wanted);
      }
    });
  }

  it('openai hears calls of tools of a provider who does not stream as pieces of a stream', async () => {
    const call = (id: string) => ({ id, type: 'function', function: { name: 'get_weather', arguments: '{}' } });
    const message = { role: 'assistant', content: null, tool_calls: [call('call_a'), call('call_b')] };
    const choices = [{ index: 0, message, finish_reason: 'tool_calls' }];
    gateway.provider.answers({ json: { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices } }, 'openai-runner');
    const ended: string[] = [];
    const stream = gateway.client(user.token).chat.completions.stream({ model: 'openai-runner', messages });
    stream.on('tool_calls.function.arguments.done', ({ arguments: said }) => ended.push(said));
    const answer = await stream.finalChatCompletion();
    expect(answer.choices[0]?.message.tool_calls?.map(({ id }) => id)).to.deep.equal(['call_a', 'call_b']);
    expect(ended, 'each is told to have ended').to.deep.equal(['{}', '{}']);
  });

  for (const { model, recorded } of embedding) {
    it(`openai gets embeddings of ${recorded.split('/')[0]} as numbers`, async () => {
      const openai = gateway.client(user.token);
      const { count, dims } = wireSample(recorded).expect as unknown as { count: number; dims: number };
      const { data, usage } = await openai.embeddings.create({ model, input: Array.from({ length: count }, () => 'sun') });
      expect(data.map(({ embedding: numbers }) => numbers.length)).to.deep.equal(Array.from({ length: count }, () => dims));
      for (const number of data[0]?.embedding ?? []) expect(number).to.be.a('number').that.is.finite;
      expect(usage.total_tokens).to.be.greaterThan(0);
    });
  }
});
