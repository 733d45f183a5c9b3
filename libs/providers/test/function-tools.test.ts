import { expect } from 'chai';
import { CallersCalls, type ChatRequest, outgoing, RequestRefused, type ToldTools } from '../src/index.ts';
import { dialectOf, targetOf } from './corners.ts';

type Json = Record<string, unknown>;

const go = { role: 'user', content: 'go' };

/** What goes to a channel of a type for a caller of chat completions. */
function told(type: number, request: Json, model = 'm') {
  const whole = { model, messages: [go], ...request };
  const bytes = Buffer.from(JSON.stringify(whole));
  const out = outgoing(dialectOf(type, 'chat'), {
    speaks: 'openai',
    bytes,
    request: whole as unknown as ChatRequest,
    target: targetOf(type, model),
  });
  return { ...out, json: JSON.parse(out.body.toString()) as Json };
}

const grammar = { syntax: 'lark', definition: 'start: hunk+' };
const freeText = {
  tools: [{ type: 'custom', custom: { name: 'code', description: 'Runs', format: { type: 'grammar', grammar } } }],
  tool_choice: { type: 'custom', custom: { name: 'code' } },
  messages: [
    go,
    { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'custom', custom: { name: 'code', input: 'print("1")' } }] },
    { role: 'tool', tool_call_id: 'call_1', content: '1' },
  ],
};
const legacy = {
  functions: [{ name: 'f', description: 'F', parameters: { type: 'object', properties: {} } }],
  function_call: { name: 'f' },
  messages: [
    go,
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
    { role: 'function', name: 'f', content: 'one' },
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":2}' } },
    { role: 'function', name: 'f', content: 'two' },
  ],
};

describe('tools in another form than functions', () => {
  it('of free text go to Claude and Gemini as functions of one string, with their calls and choice', () => {
    const { json, tools } = told(14, freeText);
    expect(json).to.have.nested.property('tools[0].input_schema.properties.input.type', 'string');
    expect(JSON.stringify(json.tools)).to.include('lark grammar').and.to.include('start: hunk+');
    expect(json.tool_choice).to.deep.equal({ type: 'tool', name: 'code' });
    expect(json).to.have.nested.property('messages[1].content[0].input').that.deep.equals({ input: 'print("1")' });
    expect([...(tools?.freeText ?? [])]).to.deep.equal(['code']);
    const gemini = told(24, freeText).json;
    expect(gemini).to.have.nested.property('tools[0].functionDeclarations[0].name', 'code');
    expect(gemini).to.have.nested.property('contents[1].parts[0].functionCall.args').that.deep.equals({ input: 'print("1")' });
  });

  it('of the legacy form go out as tools, each result with the call before it', () => {
    const { json, tools } = told(14, legacy);
    expect(json).to.have.nested.property('tools[0].name', 'f');
    expect(json.tool_choice).to.deep.equal({ type: 'tool', name: 'f', disable_parallel_tool_use: true });
    const blocks = (json.messages as { content: Json[] }[]).flatMap(({ content }) => content);
    const called = blocks.filter(({ type }) => type === 'tool_use').map(({ id, input }) => [id, input]);
    const given = blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id: id, content }) => [id, content]);
    expect(called.map(([, input]) => input)).to.deep.equal([{ a: 1 }, { a: 2 }]);
    expect(given).to.deep.equal(called.map(([id], at) => [id, ['one', 'two'][at]]));
    expect(tools?.isLegacy).to.equal(true);
    expect(() => told(14, { ...legacy, tools: [{ type: 'function', function: { name: 'g' } }] })).to.throw(RequestRefused, 'functions');
  });

  const calling = (name: string, args: string) => ({ index: 0, id: 'call_1', type: 'function', function: { name, arguments: args } });
  const tools = (more: Partial<ToldTools>): ToldTools => ({ names: new Map(), freeText: new Set(), isLegacy: false, ...more });
  const chunk = (delta: Json, finish_reason: string | null = null) => ({ id: 'c', choices: [{ index: 0, delta, finish_reason }] });

  it('are called in the form of the caller, whole', () => {
    const answer = {
      choices: [{ index: 0, message: { content: null, tool_calls: [calling('code', '{"input":"x"}')] }, finish_reason: 'tool_calls' }],
    };
    const whole = new CallersCalls(tools({ freeText: new Set(['code']) })).whole(answer);
    expect(whole).to.have.nested.property('choices[0].message.tool_calls[0].custom').that.deep.equals({ name: 'code', input: 'x' });
    const old = new CallersCalls(tools({ isLegacy: true })).whole(answer);
    expect(old).to.have.nested.property('choices[0].message.function_call').that.deep.equals({ name: 'code', arguments: '{"input":"x"}' });
    expect(old).to.have.nested.property('choices[0].finish_reason', 'function_call');
    expect(old).not.to.have.nested.property('choices[0].message.tool_calls');
  });

  it('are called in the form of the caller, in a stream', () => {
    const calls = new CallersCalls(tools({ freeText: new Set(['code']) }));
    const first = calls.chunk(chunk({ tool_calls: [calling('code', '{"inp')] }));
    expect(first).to.have.nested.property('choices[0].delta.tool_calls[0].custom').that.deep.equals({ name: 'code', input: '' });
    calls.chunk(chunk({ tool_calls: [{ index: 0, function: { arguments: 'ut":"a\\nb"}' } }] }));
    const last = calls.chunk(chunk({}, 'tool_calls'));
    expect(last)
      .to.have.nested.property('choices[0].delta.tool_calls')
      .that.deep.equals([{ index: 0, custom: { input: 'a\nb' } }]);
    const old = new CallersCalls(tools({ isLegacy: true }));
    expect(old.chunk(chunk({ tool_calls: [calling('f', '{')] }))).to.have.nested.property('choices[0].delta.function_call.name', 'f');
    expect(old.chunk(chunk({}, 'tool_calls'))).to.have.nested.property('choices[0].finish_reason', 'function_call');
  });

  it('keep the free text that has come where a stream is cut', () => {
    for (const [args, input] of [
      ['{"input":"a\\nb\\u00', 'a\nb'],
      ['{"input":"done"}', 'done'],
      ['plain', 'plain'],
    ]) {
      const calls = new CallersCalls(tools({ freeText: new Set(['code']) }));
      calls.chunk(chunk({ tool_calls: [calling('code', args as string)] }));
      expect(calls.rest()).to.have.nested.property('choices[0].delta.tool_calls[0].custom.input', input);
    }
  });
});
