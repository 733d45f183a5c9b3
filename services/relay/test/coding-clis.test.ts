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

describe('Coding tools of today', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    await gateway.channels([
      { type: 1, models: ['test-model'] },
      { type: 14, models: ['claude-x'] },
      { type: 24, models: ['gemini-x'], key: 'gemini-key' },
    ]);
    await gateway.options({ ModelRatio: JSON.stringify(Object.fromEntries(models.map((model) => [model, 1]))) });
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
});
