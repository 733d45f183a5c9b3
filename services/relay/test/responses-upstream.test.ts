import { expect } from 'chai';
import { framesOf } from './support/ask.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

type Json = Record<string, unknown>;

const encrypted = `gAAAA${'x'.repeat(40)}`;
const reasoning = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'I look.' }], encrypted_content: encrypted };
const call = (n: number) => ({
  id: `fc_${n}`,
  type: 'function_call',
  status: 'completed',
  call_id: `call_${n}`,
  name: 'look',
  arguments: `{"n":${n}}`,
});
const text = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Wait.', annotations: [] }],
};
const whole = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'gpt-5.6',
  status: 'completed',
  error: null,
  output: [reasoning, text, call(1), call(2)],
  usage: {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40 },
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: 10 },
    total_tokens: 130,
  },
};
const event = (type: string, more: Json) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}`;
const itemEvents = (item: Json, at: number, deltas: string[]) => [
  event('response.output_item.added', {
    output_index: at,
    item: { ...item, status: 'in_progress', arguments: '', content: [], summary: [] },
  }),
  ...deltas,
  event('response.output_item.done', { output_index: at, item }),
];
const callEvents = (n: number) => {
  const pieces = [`{"n"`, `:${n}}`].map((delta) => event('response.function_call_arguments.delta', { item_id: `fc_${n}`, delta }));
  return itemEvents(call(n), n + 1, pieces);
};
const streamed = [
  event('response.created', { response: { ...whole, status: 'in_progress', output: [], usage: null } }),
  ...itemEvents(reasoning, 0, [event('response.reasoning_summary_text.delta', { item_id: 'rs_1', delta: 'I look.' })]),
  ...itemEvents(text, 1, [event('response.output_text.delta', { item_id: 'msg_1', delta: 'Wait.' })]),
  ...callEvents(1),
  ...callEvents(2),
  event('response.completed', { response: whole }),
];

const parameters = { type: 'object', properties: { n: { type: 'integer' } } };
/** The same as the strict rules of OpenAI have it. */
const closed = { ...parameters, required: ['n'], additionalProperties: false };
const chatTools = [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters } }];

describe('Callers of other dialects at a model that takes tools by Responses alone', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    await gateway.channels([
      { models: ['gpt-5.6', 'gpt-5-codex', 'gpt-4.1', 'mapped'], setting: '{"responses":true}', modelMapping: '{"mapped":"gpt-5.6"}' },
      { models: ['gpt-5.5'], setting: '{"responses":false}' },
    ]);
    const ratios = { 'gpt-5.6': 1, 'gpt-5.5': 1, 'gpt-5-codex': 1, 'gpt-4.1': 1, mapped: 1 };
    await gateway.options({ ModelRatio: JSON.stringify(ratios) });
    user = await gateway.user();
    await untilServed(gateway, user.token, 'gpt-5.6');
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user();
  });

  const ask = async (path: string, body: Json) => {
    const answer = await gateway.post(path, body, { authorization: user.token.authorization });
    return (await answer.json()) as Json;
  };
  const sent = () => JSON.parse(gateway.provider.lastCall().body) as Json;
  const chat = (more: Json = {}) => ({ model: 'gpt-5.6', messages: [{ role: 'user', content: 'Hi' }], tools: chatTools, ...more });

  it('are translated there when their request has tools, and billed by its usage', async () => {
    gateway.provider.answers({ json: whole });
    const answer = await ask('/v1/chat/completions', chat({ reasoning_effort: 'high', max_completion_tokens: 500 }));
    expect(gateway.provider.lastCall().path).to.equal('/v1/responses');
    expect(sent()).to.deep.equal({
      model: 'gpt-5.6',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
      store: false,
      include: ['reasoning.encrypted_content'],
      max_output_tokens: 500,
      reasoning: { effort: 'high' },
      tools: [{ type: 'function', name: 'look', description: 'Looks.', parameters, strict: false }],
    });
    const [choice] = answer.choices as { message: Json; finish_reason: string }[];
    expect(choice?.finish_reason).to.equal('tool_calls');
    expect(choice?.message).to.include({ content: 'Wait.', reasoning_content: 'I look.' });
    expect(choice?.message.tool_calls).to.deep.equal([
      { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"n":1}' } },
      { index: 1, id: 'call_2', type: 'function', function: { name: 'look', arguments: '{"n":2}' } },
    ]);
    expect(answer.usage).to.deep.include({ prompt_tokens: 100, completion_tokens: 30 });
    const bill = await gateway.bill(user);
    expect(bill.usage).to.include({ textInput: 60, cachedInput: 40, reasoningOutput: 10, textOutput: 20 });
  });

  it('stay with chat completions when the model takes tools there, or no tools are sent', async () => {
    const reply = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }] };
    gateway.provider.answers({ json: reply });
    await ask('/v1/chat/completions', chat({ tools: undefined }));
    await ask('/v1/chat/completions', chat({ model: 'gpt-4.1' }));
    await ask('/v1/chat/completions', chat({ model: 'gpt-5.5' }));
    expect(gateway.provider.calls.map(({ path }) => path)).to.deep.equal(Array(3).fill('/v1/chat/completions'));
  });

  it('reach a model that answers by Responses alone without tools too', async () => {
    gateway.provider.answers({ json: { ...whole, output: [text] } });
    const answer = await ask('/v1/messages', { model: 'gpt-5-codex', max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] });
    expect(gateway.provider.lastCall().path).to.equal('/v1/responses');
    expect(sent()).to.include({ max_output_tokens: 16 });
    expect(answer.content).to.deep.equal([{ type: 'text', text: 'Wait.' }]);
  });

  it('are told which fields the model does not take', async () => {
    gateway.provider.answers({ json: whole });
    const { authorization } = user.token;
    const answer = await gateway.post('/v1/chat/completions', chat({ temperature: 0.2, stop: 'x', reasoning_effort: 'high' }), {
      authorization,
    });
    expect(answer.headers.get('x-tollgate-changed')).to.contain('temperature').and.to.contain('stop');
    expect(sent()).not.to.have.any.keys('temperature', 'stop');
  });

  it('pass the reasoning of earlier turns back, in every dialect', async () => {
    gateway.provider.answers({ json: whole });
    const request = {
      model: 'mapped',
      max_tokens: 4000,
      thinking: { type: 'enabled', budget_tokens: 2000 },
      tools: [{ name: 'look', description: 'Looks.', input_schema: parameters }],
      messages: [{ role: 'user', content: 'Hi' }] as Json[],
    };
    const first = await ask('/v1/messages', request);
    expect((first.content as Json[]).map(({ type }) => type)).to.deep.equal(['thinking', 'text', 'tool_use', 'tool_use']);
    const results = [1, 2].map((n) => ({ type: 'tool_result', tool_use_id: `call_${n}`, content: `Result ${n}` }));
    request.messages.push({ role: 'assistant', content: first.content }, { role: 'user', content: results });
    await ask('/v1/messages', request);
    const kept = { type: 'reasoning', id: 'rs_1', summary: reasoning.summary, encrypted_content: encrypted };
    expect((sent().input as Json[]).slice(1)).to.deep.equal([
      kept,
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Wait.' }] },
      ...[1, 2].map((n) => ({ type: 'function_call', call_id: `call_${n}`, name: 'look', arguments: `{"n":${n}}` })),
      ...[1, 2].map((n) => ({ type: 'function_call_output', call_id: `call_${n}`, output: `Result ${n}` })),
    ]);
    expect(sent().reasoning).to.deep.include({ summary: 'auto' });

    gateway.provider.answers({ json: whole });
    const contents: Json[] = [{ role: 'user', parts: [{ text: 'Hi' }] }];
    const gemini = { contents, tools: [{ functionDeclarations: [{ name: 'look', parameters }] }] };
    const path = '/v1beta/models/gpt-5.6:generateContent';
    const [candidate] = (await ask(path, gemini)).candidates as { content: Json }[];
    const answers = [1, 2].map((n) => ({ functionResponse: { id: `call_${n}`, name: 'look', response: { result: n } } }));
    contents.push(candidate?.content ?? {}, { role: 'user', parts: answers });
    await ask(path, gemini);
    expect((sent().input as Json[])[1]).to.deep.equal(kept);
  });

  it('get its stream in their own events', async () => {
    gateway.provider.answers({ frames: streamed });
    const headers = { authorization: user.token.authorization };
    const chunks = (await framesOf(await gateway.post('/v1/chat/completions', chat({ stream: true }), headers)))
      .map((frame) => frame.replace(/^data: /, ''))
      .filter((data) => data.startsWith('{'))
      .map((data) => JSON.parse(data) as { choices: { delta: Json; finish_reason: string | null }[] });
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    expect(deltas.map(({ content }) => content ?? '').join('')).to.equal('Wait.');
    expect(deltas.map((delta) => delta.reasoning_content ?? '').join('')).to.equal('I look.');
    const pieces = deltas.flatMap(({ tool_calls: calls }) => (calls ?? []) as { index: number; function: { arguments: string } }[]);
    const argumentsOf = (index: number) => pieces.filter((piece) => piece.index === index).map((piece) => piece.function.arguments);
    expect([0, 1].map((index) => argumentsOf(index).join(''))).to.deep.equal(['{"n":1}', '{"n":2}']);
    expect(chunks.flatMap(({ choices }) => choices).at(-1)?.finish_reason).to.equal('tool_calls');

    const anthropic = { model: 'gpt-5.6', max_tokens: 99, stream: true, tools: [{ name: 'look', input_schema: parameters }] };
    const frames = await framesOf(
      await gateway.post('/v1/messages', { ...anthropic, messages: [{ role: 'user', content: 'Hi' }] }, headers),
    );
    const begun = frames.filter((frame) => frame.includes('content_block_start'));
    expect(begun.map((frame) => /"content_block":\{"type":"(\w+)"/.exec(frame)?.[1])).to.deep.equal([
      'thinking',
      'text',
      'tool_use',
      'tool_use',
    ]);
  });

  it('may use what differs between both APIs: images, files, schemas, custom tools, forced tools', async () => {
    gateway.provider.answers({
      json: { ...whole, output: [{ type: 'custom_tool_call', id: 'c', call_id: 'call_9', name: 'sql', input: 'SELECT' }] },
    });
    const answer = await ask(
      '/v1/chat/completions',
      chat({
        messages: [
          { role: 'developer', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'See' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
              { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
            ],
          },
          { role: 'assistant', tool_calls: [{ id: 'call_8', type: 'custom', custom: { name: 'sql', input: 'SHOW' } }] },
          { role: 'tool', tool_call_id: 'call_8', content: 'none' },
        ],
        tools: [{ type: 'custom', custom: { name: 'sql', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } } }],
        tool_choice: { type: 'custom', custom: { name: 'sql' } },
        verbosity: 'low',
        response_format: { type: 'json_schema', json_schema: { name: 'a', schema: closed, strict: true } },
      }),
    );
    expect(sent()).to.deep.include({
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'See' },
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
          ],
        },
        { type: 'custom_tool_call', call_id: 'call_8', name: 'sql', input: 'SHOW' },
        { type: 'custom_tool_call_output', call_id: 'call_8', output: 'none' },
      ],
      tools: [{ type: 'custom', name: 'sql', format: { type: 'grammar', syntax: 'lark', definition: 'x' } }],
      tool_choice: { type: 'custom', name: 'sql' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'a', schema: closed, strict: true } },
    });
    const [choice] = answer.choices as { message: Json }[];
    expect(choice?.message.tool_calls).to.deep.equal([
      { index: 0, id: 'call_9', type: 'custom', custom: { name: 'sql', input: 'SELECT' } },
    ]);
  });
});
