import { expect } from 'chai';
import OpenAI from 'openai';
import type { ResponseCreateParamsNonStreaming, ResponseInputItem, ResponseOutputItem } from 'openai/resources/responses/responses';
import { framesOf } from './support/ask.ts';
import { citedAnswers } from './support/cited-answers.ts';
import { type Gateway, startGateway, type TestUser, untilServed } from './support/gateway.ts';

/** One channel of each kind: the hub's dialect, and two that are translated. */
const models = ['test-model', 'claude-x', 'gemini-x'] as const;
const tool = {
  type: 'function' as const,
  name: 'weather',
  description: 'Tells the weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: true,
};

describe('Callers of Responses', () => {
  let gateway: Gateway;
  let user: TestUser;

  before(async () => {
    gateway = await startGateway();
    user = await gateway.user();
    await gateway.channels([
      { type: 1, models: ['test-model'] },
      { type: 14, models: ['claude-x'] },
      { type: 24, models: ['gemini-x'], key: 'gemini-key' },
    ]);
    await gateway.options({ ModelRatio: JSON.stringify({ 'test-model': 1, 'claude-x': 1, 'gemini-x': 1 }) });
    await untilServed(gateway, user.token, 'gemini-x');
  });
  after(() => gateway.stop());
  beforeEach(async () => {
    gateway.provider.reset();
    user = await gateway.user();
  });

  const client = () => gateway.client(user.token);
  const ask = (model: string, fields: Partial<ResponseCreateParamsNonStreaming> = {}) =>
    client().responses.create({ model, input: 'Hello there', max_output_tokens: 100, ...fields });
  const sent = () => gateway.provider.lastCall().json as Record<string, unknown>;
  const bill = () => gateway.bill(user);
  const refusal = async (work: Promise<unknown>) => {
    try {
      await work;
    } catch (error) {
      if (error instanceof OpenAI.APIError) return error;
      throw error;
    }
    throw new Error('nothing was refused');
  };

  for (const model of models) {
    it(`get a whole answer of ${model}, and its bill`, async () => {
      gateway.provider.answers({ words: 6, promptTokens: 12 });
      const answer = await ask(model, { instructions: 'Be brief', temperature: 0.5, metadata: { a: 'b' } });
      expect(answer).to.include({ object: 'response', status: 'completed', instructions: 'Be brief', max_output_tokens: 100, error: null });
      expect(answer.metadata).to.deep.equal({ a: 'b' });
      expect(answer.output_text.trim()).to.equal('w0 w1 w2 w3 w4 w5');
      expect(answer.usage).to.include({ input_tokens: 12, output_tokens: 6, total_tokens: 18 });
      expect(await bill()).to.include({ usageSource: 'upstream', endReason: 'complete', mode: 'chat', model });
    });

    it(`get a stream of ${model} that their client puts together, and its bill`, async () => {
      gateway.provider.answers({ words: 6, promptTokens: 12, chunkBytes: 60 });
      const stream = client().responses.stream({ model, input: [{ role: 'user', content: 'Hello there' }], max_output_tokens: 100 });
      const answer = await stream.finalResponse();
      expect(answer.output_text.trim()).to.equal('w0 w1 w2 w3 w4 w5');
      expect(answer.id).to.match(/^resp_/);
      expect(answer.usage).to.include({ input_tokens: 12, output_tokens: 6 });
      expect(await bill()).to.include({ usageSource: 'upstream', endReason: 'complete', isStream: true });
    });

    it(`are told in the stream that ${model} has died, and pay what was delivered`, async () => {
      gateway.provider.answers({ words: 30, promptTokens: 12, breakAfter: 15, breakBy: 'destroy' });
      const question = { model, max_output_tokens: 100, stream: true, input: 'Hi', instructions: 'Be brief', metadata: { a: 'b' } };
      const answer = await gateway.post('/v1/responses', question, { authorization: user.token.authorization });
      const frames = await framesOf(answer);
      const [error = '', last = ''] = frames.slice(-2);
      const saidBy = (frame: string) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as Record<string, unknown>;
      expect(error).to.match(/^event: error\n/);
      expect(last).to.match(/^event: response.failed\n/);
      const { code, message, param, sequence_number: at, error: nested } = saidBy(error);
      expect(at).to.be.above(10);
      expect(code).to.equal('upstream_interrupted');
      expect(nested).to.deep.include({ code, message, param });
      expect(saidBy(last)).to.deep.include({ sequence_number: Number(at) + 1 });
      const begun = saidBy(frames[0] ?? '').response as Record<string, unknown>;
      const failed = saidBy(last).response as { output: { content: { text: string }[] }[] };
      const ended = { status: 'failed', error: { code: 'server_error', message }, output: failed.output };
      expect(failed).to.deep.equal({ ...begun, ...ended });
      expect(failed.output[0]?.content[0]?.text).to.match(/^ ?w0 w1/);
      expect(await bill()).to.include({ usageSource: 'estimated', endReason: 'upstream_died' });
    });
  }

  it('use tools, several at once, and send their results', async () => {
    gateway.provider.answers({ case: 'dashscope/tool-call-stream' });
    const input: ResponseInputItem[] = [
      { role: 'developer', content: 'Be kind' },
      { role: 'user', content: 'Weather in Paris and Rome?' },
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'I look.', annotations: [] }],
      },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Paris"}' },
      { type: 'function_call', call_id: 'call_2', name: 'weather', arguments: '{"city":"Rome"}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
      {
        type: 'function_call_output',
        call_id: 'call_2',
        output: [
          { type: 'input_text', text: 'sun' },
          { type: 'input_image', image_url: 'data:image/png;base64,QUJD', detail: 'auto' },
        ],
      },
    ];
    const stream = client().responses.stream({
      model: 'test-model',
      max_output_tokens: 100,
      input,
      tools: [tool],
      tool_choice: 'required',
      parallel_tool_calls: false,
    });
    const answer = await stream.finalResponse();
    const calls = answer.output.filter((item) => item.type === 'function_call');
    expect(calls.length).to.be.greaterThan(0);
    for (const call of calls) expect(JSON.parse(call.arguments)).to.be.an('object').that.is.not.empty;
    expect(sent()).to.include({ max_tokens: 100, tool_choice: 'required', parallel_tool_calls: false });
    const { type, ...described } = tool;
    expect(sent().tools).to.deep.equal([{ type, function: described }]);
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,QUJD', detail: 'auto' } };
    expect(sent().messages).to.deep.equal([
      { role: 'system', content: 'Be kind' },
      { role: 'user', content: 'Weather in Paris and Rome?' },
      {
        role: 'assistant',
        content: 'I look.',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
          { id: 'call_2', type: 'function', function: { name: 'weather', arguments: '{"city":"Rome"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      { role: 'tool', tool_call_id: 'call_2', content: 'sun' },
      { role: 'user', content: [{ type: 'text', text: 'Shown by the tool call call_2:' }, image] },
    ]);
  });

  it('send back signed thinking as they got it, streamed and whole, to the model that signed it', async () => {
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      stop_reason: 'end_turn',
      content: [
        { type: 'thinking', thinking: 'Hm', signature: 'sig' },
        { type: 'text', text: 'Hello' },
      ],
      usage: { input_tokens: 5, output_tokens: 5 },
    };
    for (const answered of [{ json: message }, { case: 'anthropic/thinking-stream' }]) {
      gateway.provider.answers(answered);
      const question = { model: 'claude-x', input: 'Hi', max_output_tokens: 4000, reasoning: { effort: 'low' as const } };
      const first = 'case' in answered ? await client().responses.stream(question).finalResponse() : await ask('claude-x', question);
      expect(kinds(first.output)).to.deep.equal(['reasoning', 'message']);
      gateway.provider.answers({});
      await ask('claude-x', { ...question, input: followUp(first.output) });
      const [, turn] = sent().messages as { role: string; content: Record<string, unknown>[] }[];
      expect(turn?.content.map(({ type }) => type)).to.deep.equal(['thinking', 'text']);
      expect(turn?.content[0]?.signature).to.be.a('string').that.is.not.empty;
      expect(turn?.content[0]?.thinking).to.equal((first.output[0] as { summary: { text: string }[] }).summary[0]?.text);
    }
  });

  it('send back what a call carries for the model that made it', async () => {
    const part = { functionCall: { name: 'weather', args: { city: 'Rome' } }, thoughtSignature: 'c2ln' };
    const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 5 };
    gateway.provider.answers({
      json: { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }], usageMetadata },
    });
    const first = await ask('gemini-x', { tools: [tool] });
    expect(kinds(first.output)).to.deep.equal(['reasoning', 'function_call']);
    const callId = (first.output[1] as { call_id: string }).call_id;
    gateway.provider.answers({});
    await ask('gemini-x', {
      tools: [tool],
      input: followUp(first.output, { type: 'function_call_output', call_id: callId, output: 'sun' }),
    });
    const [, turn] = sent().contents as { parts: object[] }[];
    expect(turn?.parts).to.deep.equal([part]);
  });

  it('hear what an answer rests on, whole and in a stream', async () => {
    for (const { whole, streamed } of Object.values(citedAnswers)) {
      gateway.provider.answersNext(whole, streamed);
      const note = { type: 'url_citation', url: 'https://a.example.com/', title: 'A', start_index: 3, end_index: 6 };
      const inMessage = (output: object[]) => (output.at(-1) as { content: { annotations: object[] }[] }).content[0]?.annotations;
      expect(inMessage((await ask('test-model')).output)).to.deep.equal([note]);
      const stream = client().responses.stream({ model: 'test-model', input: 'Hi' });
      expect(inMessage((await stream.finalResponse()).output)).to.deep.equal([note]);
    }
  });

  it('see why an answer ended before its end', async () => {
    gateway.provider.answers({
      json: { id: 'x', choices: [{ index: 0, message: { role: 'assistant', content: 'Hel' }, finish_reason: 'length' }] },
    });
    const answer = await ask('test-model');
    expect(answer.status).to.equal('incomplete');
    expect(answer.incomplete_details).to.deep.equal({ reason: 'max_output_tokens' });
  });

  it('get what fits a schema, as their client parses it', async () => {
    const text = { format: { type: 'json_schema' as const, name: 'city', schema: { type: 'object', properties: {} }, strict: true } };
    await ask('test-model', { text, reasoning: { effort: 'high' } });
    expect(sent()).to.include({ reasoning_effort: 'high' });
    expect(sent().response_format).to.deep.equal({
      type: 'json_schema',
      json_schema: { name: 'city', schema: { type: 'object', properties: {} }, strict: true },
    });
  });

  it('may say that they want nothing of what no channel can be told', async () => {
    await ask('test-model', { store: false, background: false, previous_response_id: null, top_logprobs: 0, max_tool_calls: 0 });
    expect(sent()).not.to.include.any.keys('top_logprobs', 'max_tool_calls', 'store');
  });

  it('go on without reasoning that another account or model has encrypted, and without references to reasoning', async () => {
    const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAA' };
    const input = [{ role: 'user', content: 'x' }, reasoning, { type: 'item_reference', id: 'rs_2' }, { role: 'user', content: 'go on' }];
    await ask('test-model', { input, truncation: 'auto' } as never);
    expect(JSON.stringify(sent())).not.to.match(/gAAAAA|rs_/);
  });

  it('go on without what tools made at another provider in earlier turns, and are told so', async () => {
    const call = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'SECRET' } };
    const sealed = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAA' };
    const input = [{ role: 'user', content: 'Hi' }, call, sealed, { role: 'user', content: 'go on' }];
    for (const model of models) {
      const answer = await gateway.post('/v1/responses', { model, input, store: false }, { authorization: user.token.authorization });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('x-tollgate-changed')).to.equal('input[1]: removed (web_search_call), input[2]: removed (compaction)');
      expect(JSON.stringify(sent())).not.to.match(/SECRET|gAAAAA/);
    }
  });

  it('are refused by name what no channel can be told', async () => {
    const said: [fields: Record<string, unknown>, named: RegExp][] = [
      [{ prompt: { id: 'p' } }, /prompt/],
      [{ moderation: { model: 'x' } }, /moderation/],
      [{ include: ['file_search_call.results'] }, /file_search_call/],
      [{ tools: [{ type: 'web_search' }] }, /tools\[0\].*web_search/],
      [{ input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }, /content\[0\].*file_id/],
      [
        {
          input: [
            { role: 'user', content: 'x' },
            { type: 'computer_call', id: 'c' },
          ],
        },
        /input\[1\].*computer_call/,
      ],
    ];
    for (const [fields, named] of said) {
      const error = await refusal(ask('test-model', fields));
      expect(error.status, JSON.stringify(fields)).to.equal(400);
      expect(error.message).to.match(named);
    }
    expect((await refusal(ask('test-model', { tools: [{ type: 'web_search' }] }))).message).to.match(/web_search/);
    expect(gateway.provider.calls).to.have.length(0);
    expect(await gateway.openHolds(user)).to.equal(0);
  });

  it('are told what is wrong, by name, with the call’s id', async () => {
    const wrong: [fields: Record<string, unknown>, param: string][] = [
      [{ input: undefined }, 'input'],
      [{ input: [] }, 'input'],
      [{ input: [5] }, 'input[0]'],
      [{ input: [{ role: 'tool', content: 'x' }] }, 'input[0].role'],
      [{ input: [{ role: 'user', content: [{ type: 'input_text' }] }] }, 'input[0].content[0]'],
      [{ input: [{ type: 'function_call', name: 'f' }] }, 'input[0]'],
      [{ input: [{ type: 'function_call_output', output: 'x' }] }, 'input[0].call_id'],
      [{ max_output_tokens: 0 }, 'max_output_tokens'],
      [{ instructions: 5 }, 'instructions'],
      [{ text: { format: { type: 'xml' } } }, 'text.format.type'],
      [{ tools: [{ type: 'function' }] }, 'tools[0]'],
      [{ tool_choice: 'some' }, 'tool_choice'],
      [{ Model: 'x' }, 'Model'],
      [{ reasoning: { effort: 5 } }, 'reasoning.effort'],
    ];
    for (const [fields, param] of wrong) {
      const error = await refusal(ask('test-model', fields));
      expect(error.status, JSON.stringify(fields)).to.equal(400);
      expect(error.param, JSON.stringify(fields)).to.equal(param);
      expect(error.requestID).to.be.a('string').that.is.not.empty;
    }
    expect(gateway.provider.calls).to.have.length(0);
  });

  it('are cut as if the answer had reached its longest when the balance carries no more', async () => {
    user = await gateway.user({ balance: 400 });
    gateway.provider.answers({ words: 3000, promptTokens: 10, paceMs: 1 });
    const answer = await client().responses.stream({ model: 'test-model', input: 'Hi', max_output_tokens: 300 }).finalResponse();
    expect(answer.incomplete_details).to.deep.equal({ reason: 'max_output_tokens' });
    expect(await bill()).to.include({ endReason: 'balance' });
  });

  it('count a prompt for nothing', async () => {
    const counted = await client().post('/responses/input_tokens', { body: { model: 'test-model', input: 'word '.repeat(1000) } });
    expect(counted).to.include({ object: 'response.input_tokens' });
    expect((counted as { input_tokens: number }).input_tokens).to.be.within(900, 1300);
    expect(gateway.provider.calls).to.have.length(0);
  });
});

/** The question, what was answered, and what comes next. */
function followUp(output: readonly ResponseOutputItem[], next: ResponseInputItem = { role: 'user', content: 'And?' }): ResponseInputItem[] {
  return [{ role: 'user', content: 'Hi' }, ...(output as ResponseInputItem[]), next];
}

function kinds(items: readonly ResponseOutputItem[]): string[] {
  return items.map(({ type }) => type);
}
