import { expect } from 'chai';
import { CallersCalls, type ChatRequest, type DialectName, outgoing, RequestRefused, type Target } from '../src/index.ts';
import { dialectOf, targetOf } from './corners.ts';

type Json = Record<string, unknown>;

/** What goes to a channel of a type for a request of a caller of another format. */
function told(type: number, request: Json, { target = {}, speaks = 'anthropic' }: { target?: Partial<Target>; speaks?: DialectName } = {}) {
  const whole = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...request };
  const asked = outgoing(dialectOf(type, 'chat'), {
    speaks,
    bytes: Buffer.from(JSON.stringify(whole)),
    request: whole as unknown as ChatRequest,
    target: { ...targetOf(type, whole.model), ...target },
  });
  return { ...asked, json: JSON.parse(asked.body.toString()) as Json & { messages: Json[] } };
}

const call = (id: string, name = 'f') => ({ id, type: 'function', function: { name, arguments: '{}' } });
const calling = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map((id) => call(id)) });
const result = (id: string, content = 'r') => ({ role: 'tool', tool_call_id: id, content });
const go = { role: 'user', content: 'go' };

describe('a translated request', () => {
  it('has an end user of at most 64 characters, alike for the same one', () => {
    const user = `user_${'a'.repeat(64)}_account_x_session_y`;
    const one = told(1, { user });
    expect(one.json.user).to.match(/^[0-9a-f]{64}$/);
    expect(one.changed).to.deep.equal(['user']);
    expect(told(20, { user }).json.user).to.equal(one.json.user);
    expect(told(1, { user: 'short' }).json.user).to.equal('short');
  });

  it('has tool names that the provider takes, which answers give back as they were', () => {
    const long = `mcp__${'server_'.repeat(12)}__tool`;
    const names = [long, 'fs.read:file', '9lives', 'plain'];
    const request = {
      tools: names.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } })),
      tool_choice: { type: 'function', function: { name: long } },
      messages: [go, { role: 'assistant', content: null, tool_calls: [call('c', long)] }, result('c')],
    };
    const { json, tools } = told(1, request);
    const taken = (json.tools as { function: { name: string } }[]).map((tool) => tool.function.name);
    for (const name of taken) expect(name).to.match(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/);
    expect(new Set(taken).size).to.equal(4);
    expect(taken[3]).to.equal('plain');
    expect(json).to.have.nested.property('tool_choice.function.name', taken[0]);
    expect(json.messages[1]).to.have.nested.property('tool_calls[0].function.name', taken[0]);
    const answer = { choices: [{ delta: { tool_calls: taken.map((name) => call('x', name)) } }] };
    const back = new CallersCalls(tools as NonNullable<typeof tools>).chunk(answer) as {
      choices: { delta: { tool_calls: { function: { name: string } }[] } }[];
    };
    expect(back.choices[0]?.delta.tool_calls.map((one) => one.function.name)).to.deep.equal(names);
  });

  it('has ids of calls that are short and unique, alike in calls and results, and arguments that are JSON', () => {
    const long = `call_${'x'.repeat(120)}`;
    const bare = { ...calling(long), tool_calls: [{ ...call(long), function: { name: 'f', arguments: '' } }] };
    const messages = [go, bare, result(long, 'L'), calling('a', 'a'), result('a', '1'), result('a', '2'), calling('a'), result('a', '3')];
    for (const type of [1, 14, 43]) {
      const { json } = told(type, { messages }, { speaks: 'gemini' });
      const ids = [...JSON.stringify(json).matchAll(/"(?:id|tool_call_id|tool_use_id)":"([^"]+)"/g)].map(([, id]) => id as string);
      expect(Math.max(...ids.map((id) => id.length))).to.be.at.most(40);
      expect(new Set(ids).size).to.equal(4);
      for (const id of new Set(ids)) expect(ids.filter((other) => other === id)).to.have.length(2);
      expect(ids).to.include('a');
      if (type !== 14) expect(JSON.stringify(json)).not.to.include('"arguments":""');
    }
  });

  it('has a text for a result that is empty, in chat completions', () => {
    const messages = [go, calling('a', 'b'), result('a', ''), { ...result('b'), content: [{ type: 'text', text: '' }] }];
    for (const { role, content } of told(1, { messages }).json.messages as { role: string; content: string }[])
      if (role === 'tool') expect(content).to.equal('(no output)');
  });

  it('is refused by name where a part has no text, or the choice of a tool is none', () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
    for (const type of [14, 24]) {
      const refusal = (request: Json) => () => told(type, request, { speaks: 'openai' });
      expect(refusal({ messages: [{ role: 'user', content: [{ type: 'text' }] }] })).to.throw(
        RequestRefused,
        'messages[0].content[0].text is required',
      );
      expect(refusal({ tools, tool_choice: 'atuo' })).to.throw(RequestRefused, 'tool_choice must be one of');
    }
  });

  it('thinks as OpenRouter’s and Anthropic’s forms ask for it', () => {
    const budget = (request: Json) =>
      JSON.stringify(told(24, { model: 'gemini-2.5-pro', ...request }, { speaks: 'openai' }).json).match(/"thinkingBudget":(\d+)/)?.[1];
    const level = (effort: string) => budget({ reasoning_effort: effort });
    expect(budget({ reasoning: { max_tokens: 4000 } })).to.equal(level('medium'));
    expect(budget({ reasoning: { enabled: true } })).to.equal(level('medium'));
    expect(budget({ thinking: { type: 'enabled', budget_tokens: 1024 } })).to.equal(level('low'));
    expect(budget({ thinking: { type: 'disabled' } })).to.equal(level('none'));
    expect(JSON.stringify(told(14, { model: 'claude-sonnet-4-5', reasoning: { max_tokens: 4000 } }, { speaks: 'openai' }).json)).to.include(
      'budget_tokens',
    );
  });

  it('has no text of spaces alone, where the provider refuses it', () => {
    const messages = [go, { role: 'assistant', content: ' \n' }, { role: 'user', content: [{ type: 'text', text: '\t' }] }];
    for (const { content } of told(14, { messages }, { speaks: 'openai' }).json.messages as { content: string }[])
      expect(content).to.match(/\S/);
  });

  it('has one result for each call, right behind it, and none without', () => {
    const messages = [
      go,
      calling('a', 'b'),
      result('b', 'B'),
      result('b', 'again'),
      go,
      result('a', 'A'),
      result('gone', 'G'),
      calling('c'),
      go,
    ];
    const { json, changed } = told(1, { messages });
    expect(changed).to.include('messages');
    const said = json.messages.map(({ role, tool_call_id: id, content }) => `${role} ${id ?? ''} ${JSON.stringify(content)}`);
    expect(said.slice(2, 4)).to.deep.equal(['tool a "A"', 'tool b "B"']);
    expect(said[5]).to.match(/^user .*gone.*G/);
    expect(said[7]).to.match(/^tool c "No result/);
    expect(said).to.have.length(9);
    const whole = [go, calling('a'), result('a')];
    expect(told(1, { messages: whole }).json.messages).to.deep.equal(whole);
  });

  it('gives thinking back as reasoning_content where the model wants it, and a blank where another began', () => {
    const thinking = {
      role: 'assistant',
      content: 'x',
      tool_calls: [call('a')],
      thinking_blocks: [{ type: 'thinking', thinking: 'because' }],
    };
    const messages = [go, thinking, result('a'), calling('b'), result('b')];
    for (const [type, model] of [
      [43, 'deepseek-v4-pro'],
      [1, 'kimi-k2.6'],
      [1, 'glm-4.7'],
    ] as const) {
      const { json } = told(type, { model, messages });
      expect(
        json.messages.filter(({ role }) => role === 'assistant').map((one) => one.reasoning_content),
        model,
      ).to.deep.equal(['because', ' ']);
    }
    expect(JSON.stringify(told(1, { model: 'gpt-4o', messages }).json)).not.to.match(/because|thinking/);
    const off = told(43, { model: 'deepseek-v4-pro', messages: [go, calling('b'), result('b')], thinking: { type: 'disabled' } }).json;
    expect(off).to.have.nested.property('thinking.type', 'disabled');
    expect(off.messages[1]).not.to.have.property('reasoning_content');
  });

  it('keeps cache_control for OpenRouter and Claude alone', () => {
    const cache_control = { type: 'ephemeral' };
    const cached = { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'r', cache_control }] };
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'u', cache_control }] }, calling('a'), cached];
    expect(JSON.stringify(told(20, { messages }).json).match(/cache_control/g)).to.have.length(2);
    const plain = told(1, { messages }).json;
    expect(JSON.stringify(plain)).not.to.contain('cache_control');
    expect(plain.messages[2]).to.have.property('content', 'r');
    const claude = told(14, { messages }, { speaks: 'openai' }).json;
    expect(claude.messages[2]?.content).to.deep.include({ type: 'tool_result', tool_use_id: 'a', content: 'r', cache_control });
  });

  it('is refused by name where its messages are wrong', () => {
    const wrong: [Json, string][] = [
      [{ messages: [{ role: 'System', content: 'x' }] }, 'messages[0].role'],
      [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
      [{ messages: [go, { role: 'tool', content: 'r' }] }, 'messages[1].tool_call_id'],
      [{ messages: [go, calling('a', 'b'), { role: 'tool', content: 'r' }] }, 'messages[2].tool_call_id'],
      [{ tools: [{ type: 'function' }] }, 'tools[0].function'],
    ];
    for (const type of [14, 24]) {
      for (const [request, param] of wrong) {
        expect(() => told(type, request, { speaks: 'openai' }), `${type} ${param}`)
          .to.throw(RequestRefused)
          .with.property('param', param);
      }
      const mended = told(type, { messages: [go, calling('a'), { role: 'tool', content: 'r' }] }, { speaks: 'openai' });
      expect(mended.changed).to.include('messages');
    }
  });

  it('goes without the reasoning of earlier turns where the provider has refused it', () => {
    const signed = { role: 'assistant', content: 'x', thinking_blocks: [{ type: 'thinking', thinking: 't', signature: 's' }] };
    const request = { messages: [go, signed, go] };
    expect(JSON.stringify(told(14, request, { speaks: 'openai' }).json)).to.contain('signature');
    expect(JSON.stringify(told(14, request, { speaks: 'openai', target: { withoutReasoning: true } }).json)).not.to.contain('signature');
  });
});
