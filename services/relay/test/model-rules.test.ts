import { efforts, factsOf } from '@tollgate/contracts/catalog';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of four dialects are read by their fields
type Json = any;

/** Models of each maker, by the type of their channel; the last of OpenAI's by Responses. */
const channels: { type: number; models: string[]; setting?: string }[] = [
  { type: 1, models: ['gpt-5.6', 'gpt-4.1', 'o3', 'gpt-6-sol'] },
  { type: 1, models: ['gpt-5-pro', 'gpt-5.5'], setting: '{"responses":true}' },
  { type: 14, models: ['claude-opus-4-8', 'claude-sonnet-4-5', 'claude-opus-5-5'] },
  { type: 24, models: ['gemini-2.5-flash', 'gemini-3-flash-preview'] },
  { type: 43, models: ['deepseek-v4-pro', 'deepseek-flash'] },
  { type: 48, models: ['grok-4.6', 'grok-3-mini'] },
  { type: 25, models: ['kimi-k2.6', 'kimi-k3'] },
  { type: 42, models: ['mistral-small-latest', 'mistral-large-latest'] },
];

/** Names that providers refuse: too long, of other characters, and alike once those are replaced. */
const names = [`a tool/${'x'.repeat(130)}`, 'mcp:list.files', 'mcp_list_files'];
const schema = { type: 'object', properties: { a: { type: 'string', maxLength: 3 } }, required: ['a'] };
const messages = [{ role: 'user', content: 'hi' }];

type Dialect = 'chat' | 'messages' | 'responses' | 'gemini';
const asking: Record<Dialect, (model: string, effort: string) => [path: string, body: object]> = {
  chat: (model, effort) => [
    '/v1/chat/completions',
    {
      ...{ model, messages, temperature: 1.5, top_p: 0.5, presence_penalty: 0.5, frequency_penalty: 0.5, stop: ['x'], max_tokens: 3000 },
      ...{ reasoning_effort: effort, tools: names.map((name) => ({ type: 'function', function: { name, parameters: schema } })) },
    },
  ],
  messages: (model, effort) => [
    '/v1/messages',
    {
      ...{ model, messages, max_tokens: 3000, temperature: 0.9, top_k: 5, top_p: 0.5, stop_sequences: ['x'] },
      ...{ thinking: { type: 'adaptive' }, output_config: { effort } },
      tools: names.map((name) => ({ name, input_schema: schema })),
    },
  ],
  responses: (model, effort) => [
    '/v1/responses',
    {
      ...{ model, input: 'hi', temperature: 1.5, top_p: 0.5, max_output_tokens: 3000, reasoning: { effort } },
      tools: names.map((name) => ({ type: 'function', name, parameters: schema, strict: false })),
    },
  ],
  gemini: (model, effort) => [
    `/v1beta/models/${model}:generateContent`,
    {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      generationConfig: {
        temperature: 1.5,
        topK: 5,
        topP: 0.5,
        stopSequences: ['x'],
        maxOutputTokens: 3000,
        thinkingConfig: { thinkingLevel: effort },
      },
      tools: [{ functionDeclarations: names.map((name) => ({ name, parameters: schema })) }],
    },
  ],
};

const native: Record<string, string> = { top_k: 'topK', top_p: 'topP', presence_penalty: 'presencePenalty', stop: 'stopSequences' };

/** The dialect in which a provider is asked. */
function spokenAt(model: string, dialect: Dialect): Dialect {
  const { type, setting } = channels.find(({ models }) => models.includes(model)) as (typeof channels)[number];
  const { endpoint, toolsEndpoint } = factsOf(model)?.rules ?? {};
  if (type === 14) return 'messages';
  if (type === 24) return 'gemini';
  return setting !== undefined && (dialect === 'responses' || endpoint === 'responses' || toolsEndpoint === 'responses')
    ? 'responses'
    : 'chat';
}

/** An answer that calls a function by a name. */
function calling(name: string): Record<Dialect, object> {
  const args = '{"a":"x"}';
  const of = { model: 'm', created: 1 };
  return {
    chat: {
      ...{ ...of, id: 'c', object: 'chat.completion', usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 } },
      choices: [
        {
          ...{ index: 0, finish_reason: 'tool_calls' },
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: args } }],
          },
        },
      ],
    },
    messages: {
      ...{ id: 'm', type: 'message', role: 'assistant', model: 'm', stop_reason: 'tool_use', usage: { input_tokens: 5, output_tokens: 5 } },
      content: [{ type: 'tool_use', id: 't', name, input: { a: 'x' } }],
    },
    responses: {
      ...{ id: 'r', object: 'response', created_at: 1, model: 'm', status: 'completed', error: null },
      output: [{ type: 'function_call', id: 'f', call_id: 'c', name, arguments: args, status: 'completed' }],
      usage: { input_tokens: 5, output_tokens: 5, total_tokens: 10 },
    },
    gemini: {
      candidates: [{ index: 0, content: { role: 'model', parts: [{ functionCall: { name, args: { a: 'x' } } }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 },
    },
  };
}

const toolNames = ({ tools = [] }: Json): string[] =>
  tools.flatMap((tool: Json) => tool.functionDeclarations?.map(({ name }: Json) => name) ?? [tool.function?.name ?? tool.name]);

function effortIn(sent: Json): string | undefined {
  const level = sent.generationConfig?.thinkingConfig?.thinkingLevel?.toLowerCase();
  return sent.reasoning_effort ?? sent.reasoning?.effort ?? sent.output_config?.effort ?? level;
}

/** What of the rules of its model a request breaks, as its provider gets it. */
function brokenRules(model: string, sent: Json, wanted: string): string[] {
  const { parameters, reasoning } = factsOf(model)?.rules ?? {};
  const isSent = (name: string) => sent[name] !== undefined || sent.generationConfig?.[native[name] ?? name] !== undefined;
  const place = (effort: string) => (efforts as readonly string[]).indexOf(effort);
  const effort = effortIn(sent);
  const has = reasoning?.efforts ?? [];
  const isDearer =
    effort !== undefined && place(effort) > place(wanted) && has.some((one) => one !== 'none' && place(one) <= place(wanted));
  return [
    ...(parameters?.refused ?? []).filter(isSent).map((name) => `${name} is refused`),
    ...(parameters?.exclusive ?? []).filter((both) => both.every(isSent)).map((both) => `${both} together`),
    ...Object.entries(parameters?.most ?? {}).flatMap(([name, most]) => (sent[name] > most ? [`${name} is ${sent[name]}`] : [])),
    ...(effort === undefined || effort === 'none' || has.length === 0 || has.includes(effort as never) ? [] : [`no effort ${effort}`]),
    ...(isDearer ? [`${effort} for ${wanted}`] : []),
  ];
}

describe('The rules of each model', function () {
  this.timeout(60_000);
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user({ balance: 1_000_000_000 });
    await gateway.channels(channels);
    for (const { models } of channels) await untilServed(gateway, user.token, models[0] as string);
  });
  after(() => gateway.stop());

  async function asked(dialect: Dialect, model: string, { effort, called }: { effort: string; called: string }) {
    const [path, body] = asking[dialect](model, effort);
    gateway.provider.answers({ json: calling(called)[spokenAt(model, dialect)] });
    const answer = await gateway.post(path, body, { authorization: user.token.authorization });
    const text = await answer.text();
    expect(answer.status, `${model}: ${text.slice(0, 300)}`).to.equal(200);
    return { text, sent: gateway.provider.lastCall().json as Json };
  }

  for (const dialect of Object.keys(asking) as Dialect[]) {
    it(`are kept for callers of ${dialect}, and names of tools are given back`, async () => {
      for (const model of channels.flatMap(({ models }) => models)) {
        const levels = { messages: ['low', 'xhigh', 'max'], gemini: ['minimal', 'low', 'high'] }[dialect as string] ?? [
          'minimal',
          'low',
          'max',
        ];
        for (const effort of levels) {
          const { sent } = await asked(dialect, model, { effort, called: 'f' });
          expect(brokenRules(model, sent, effort), `${model} at ${effort}`).to.deep.equal([]);
        }
        if (spokenAt(model, dialect) === dialect) continue; // a caller's own names in its own dialect are its own affair
        const { sent } = await asked(dialect, model, { effort: 'low', called: 'f' });
        const told = toolNames(sent);
        const longest = factsOf(model)?.rules.tools?.longestName ?? 64;
        expect(new Set(told).size, model).to.equal(names.length);
        for (const [at, name] of told.entries()) {
          expect(name, model).to.match(/^[A-Za-z_][\w-]*$/);
          expect(name.length, model).to.be.at.most(longest);
          const { text } = await asked(dialect, model, { effort: 'low', called: name });
          expect(text, model).to.contain(`"${names[at]}"`);
        }
      }
    });
  }
});
