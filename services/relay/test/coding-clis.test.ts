import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

type Json = Record<string, unknown>;

/** Channels that do not speak as the callers do: OpenAI's dialect, Anthropic's, Gemini's. */
const models = ['test-model', 'claude-x', 'gemini-x'] as const;

const parameters = { type: 'object', properties: { city: { type: 'string' } } };

/** What Claude Code 2.1.332 sends with its second question (`ENABLE_TOOL_SEARCH=true`, a tool found), cut down. */
const claudeCode = {
  max_tokens: 64_000,
  metadata: { user_id: '{"device_id":"1a10","account_uuid":"","session_id":"7b69"}' },
  thinking: { type: 'adaptive', display: 'omitted' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'high' },
  stream: true,
  system: [{ type: 'text', text: 'You are a Claude agent', cache_control: { type: 'ephemeral' } }],
  tools: [
    { name: 'ToolSearch', description: 'Finds tools', input_schema: { type: 'object', properties: { query: { type: 'string' } } } },
    { name: 'mcp__wx__get_weather', description: 'Weather', input_schema: parameters, defer_loading: true },
  ],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Rain?' }] },
    { role: 'system', content: [{ type: 'text', text: '<system-reminder>It is a test</system-reminder>' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: { query: 'weather' } }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'tool_reference', tool_name: 'mcp__wx__get_weather' }] },
        { type: 'text', text: 'Tool loaded.' },
      ],
    },
  ],
};

const found = { type: 'function', name: 'get_weather', description: 'Weather', strict: false, defer_loading: true, parameters };

/** What Codex 0.169.0 sends with each question, cut down. */
const codex = {
  stream: true,
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', context: 'all_turns' },
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: '01a2',
  text: { verbosity: 'low' },
  client_metadata: { session_id: '01a2', 'x-codex-turn-metadata': '{"turn_id":"01a3"}' },
  input: [
    {
      type: 'additional_tools',
      id: 'at_1',
      role: 'developer',
      tools: [{ type: 'namespace', name: 'clock', description: '', tools: [found] }],
    },
    { type: 'message', id: 'msg_1', role: 'developer', content: [{ type: 'input_text', text: 'You are Codex' }] },
    { type: 'message', id: 'msg_2', role: 'user', content: [{ type: 'input_text', text: 'Rain?' }] },
  ],
  tools: [
    { type: 'function', name: 'exec_command', description: 'Runs', strict: false, parameters: { type: 'object', properties: {} } },
    { type: 'custom', name: 'apply_patch', description: 'Edits', format: { type: 'grammar', syntax: 'lark', definition: 'start: hunk+' } },
    { type: 'namespace', name: 'agents', description: 'Agents', tools: [{ type: 'custom', name: 'exec' }] },
    { type: 'tool_search', execution: 'client', description: 'Finds tools', parameters },
    { type: 'web_search', external_web_access: true },
  ],
};

/** And with the next one: what its tools were called with, and what they said. */
const codexHistory = [
  { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'exec_command', arguments: '{}' },
  { type: 'custom_tool_call', id: 'ctc_1', status: 'completed', call_id: 'call_2', name: 'apply_patch', input: '*** "Patch"' },
  { type: 'function_call_output', call_id: 'call_1', output: 'one' },
  { type: 'custom_tool_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: 'patched' }] },
  { type: 'tool_search_call', call_id: 'call_3', status: 'completed', execution: 'client', arguments: { query: 'weather' } },
  {
    type: 'tool_search_output',
    call_id: 'call_3',
    status: 'completed',
    execution: 'client',
    tools: [{ type: 'namespace', name: 'mcp__wx', description: '', tools: [found] }],
  },
  { type: 'function_call', id: 'fc_2', call_id: 'call_4', name: 'get_weather', namespace: 'mcp__wx', arguments: '{"city":"Oslo"}' },
  { type: 'function_call_output', call_id: 'call_4', output: 'Rain' },
  {
    type: 'agent_message',
    author: '/root',
    recipient: '/root/look',
    content: [
      { type: 'input_text', text: 'Message Type: NEW_TASK' },
      { type: 'encrypted_content', encrypted_content: 'Look there' },
    ],
  },
];

/** Calls of each kind of tool, as a provider makes them, and as Codex hears them. */
const calls = [
  { name: 'exec_command', arguments: '{"cmd":"ls"}' },
  { name: 'apply_patch', arguments: '{"input":"*** Begin\\n\\"x\\""}' },
  { name: 'agents__exec', arguments: 'plain words' },
  { name: 'tool_search', arguments: '{"query":"weather"}' },
  { name: 'clock__get_weather', arguments: '{}' },
];
const heard = [
  { type: 'function_call', call_id: 'call_0', name: 'exec_command', arguments: '{"cmd":"ls"}' },
  { type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: '*** Begin\n"x"' },
  { type: 'custom_tool_call', call_id: 'call_2', name: 'exec', namespace: 'agents', input: 'plain words' },
  { type: 'tool_search_call', call_id: 'call_3', execution: 'client', arguments: { query: 'weather' } },
  { type: 'function_call', call_id: 'call_4', name: 'get_weather', namespace: 'clock', arguments: '{}' },
];

describe('Coding tools of today', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    await gateway.channels([
      { type: 1, models: ['test-model'] },
      { type: 14, models: ['claude-x'] },
      { type: 24, models: ['gemini-x'], key: 'gemini-key' },
      { type: 1, models: ['own-model'], setting: '{"responses":true}' },
    ]);
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries([...models, 'own-model'].map((model) => [model, 1]))) });
    user = await gateway.user({ balance: 1e9 });
    await untilServed(gateway, user.token, 'gemini-x');
  });
  after(() => gateway?.stop());
  beforeEach(() => gateway.provider.reset());

  const ask = (path: string, body: Json) => gateway.post(path, body, { authorization: user.token.authorization });
  const told = () => JSON.stringify(gateway.provider.lastCall().json);

  for (const model of models) {
    it(`Claude Code is answered by ${model}, to whom its loaded tools are told`, async () => {
      gateway.provider.answers({ words: 3 });
      const answer = await ask('/v1/messages?beta=true', { model, ...claudeCode });
      expect(await answer.text()).to.match(/message_stop/);
      expect(answer.status).to.equal(200);
      expect(told()).to.match(/mcp__wx__get_weather/);
      if (model === 'claude-x') return;
      expect(told()).to.match(/mcp__wx__get_weather may be called now/);
      expect(told()).not.to.match(/context_management|defer_loading/);
    });
  }

  const namesIn = (tools: unknown) => (tools as { function: { name: string } }[]).map((tool) => tool.function.name);

  for (const model of models) {
    it(`Codex is answered by ${model}, who is told its tools as functions`, async () => {
      gateway.provider.answers({ words: 3 });
      const answer = await ask('/v1/responses', { model, ...codex, input: [...codex.input, ...codexHistory] });
      expect(await answer.text()).to.match(/response.completed/);
      expect(told()).to.match(/apply_patch.*start: hunk\+/);
      expect(told()).not.to.match(/client_metadata/);
      expect(told().includes('web_search'), 'Claude has a search of its own').to.equal(model === 'claude-x');
      expect(told()).to.match(/These may be called now: mcp__wx__get_weather/);
      expect(told()).to.match(/NEW_TASK.*Look there/);
      if (model !== 'test-model') return;
      const sent = gateway.provider.lastCall().json as { tools: unknown; messages: Json[] };
      const names = ['exec_command', 'apply_patch', 'agents__exec', 'tool_search', 'clock__get_weather', 'mcp__wx__get_weather'];
      expect(namesIn(sent.tools)).to.deep.equal(names);
      const made = sent.messages.flatMap(({ tool_calls: said }) => (said ?? []) as { id: string; function: Json }[]);
      expect(made.map(({ id, function: called }) => [id, called.name, called.arguments])).to.deep.equal([
        ['call_1', 'exec_command', '{}'],
        ['call_2', 'apply_patch', '{"input":"*** \\"Patch\\""}'],
        ['call_3', 'tool_search', '{"query":"weather"}'],
        ['call_4', 'mcp__wx__get_weather', '{"city":"Oslo"}'],
      ]);
    });
  }

  it('Codex is refused what its agents say to each other where that is sealed, by name', async () => {
    const content = [{ type: 'encrypted_content', encrypted_content: 'gAAAAABo' }];
    const input = [...codex.input, { type: 'agent_message', author: '/root', recipient: '/root/look', content }];
    const answer = await ask('/v1/responses', { model: 'test-model', ...codex, input });
    expect(answer.status).to.equal(400);
    expect(await answer.text()).to.match(/input\[3\].content/);
  });

  it('Codex hears each call as one of its own tools, whole and in a stream', async () => {
    const toolCalls = calls.map((called, index) => ({ index, id: `call_${index}`, type: 'function', function: called }));
    const message = { role: 'assistant', content: null, tool_calls: toolCalls };
    const head = { id: 'c', created: 1, model: 'm' };
    gateway.provider.answers({
      json: { ...head, object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] },
    });
    const known = ({ id: _id, status, ...item }: Json) => ({ item, status });
    const wanted = heard.map((item) => ({ item, status: 'completed' }));
    const whole = (await (await ask('/v1/responses', { model: 'test-model', ...codex, stream: false })).json()) as { output: Json[] };
    expect(whole.output.map(known)).to.deep.equal(wanted);
    const streamed = await (await ask('/v1/responses', { model: 'test-model', ...codex })).text();
    const events = [...streamed.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Json);
    const ended = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => known(item as Json));
    expect(ended).to.deep.equal(wanted);
    const [input] = events.filter(({ type }) => type === 'response.custom_tool_call_input.done');
    expect(input).to.include({ input: '*** Begin\n"x"', output_index: 1 });
  });

  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', status: 'completed', error: null };
  const usage = { input_tokens: 20, output_tokens: 12, total_tokens: 32 };
  const output = [{ id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] }];

  it('Codex is answered by a channel of its own dialect, which is not told of a tool of the provider without a price', async () => {
    gateway.provider.answers({ json: { ...response, output, usage } });
    const body = { model: 'own-model', ...codex, stream: false };
    expect((await ask('/v1/responses', body)).status).to.equal(200);
    expect(gateway.provider.lastCall().json).to.deep.equal({ ...body, tools: codex.tools.slice(0, -1) });
    expect((await ask('/v1/responses', { ...body, tool_choice: 'required' })).status).to.equal(400); // what is more than an offer
    await gateway.options({ RequestFieldRatio: JSON.stringify({ 'tools=web_search': 2 }) });
    await eventually(async () => {
      await ask('/v1/responses', body);
      expect(gateway.provider.lastCall().json).to.deep.equal(body);
    });
  });
});
