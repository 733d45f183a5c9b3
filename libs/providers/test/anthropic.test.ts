import { expect } from 'chai';
import { type ChatRequest, type JsonObject, providerOf, RequestRefused } from '../src/index.ts';
import { playedBack, streamed, targetOf } from './corners.ts';

const user = (content: unknown) => ({ role: 'user', content });

function asked(request: object, model = 'claude-3-5-sonnet'): JsonObject {
  const chat = providerOf(14)?.chat;
  if (chat === undefined || chat.speaks === 'openai') throw new Error('type 14 is translated');
  const body = chat.encodeRequest({ model, messages: [user('Hi')], ...request } as ChatRequest, targetOf(14, model));
  return JSON.parse(JSON.stringify(body)) as JsonObject; // as it travels
}

function messagesFor(...messages: object[]): unknown {
  return asked({ messages }).messages;
}

describe('a chat request in Anthropic words', () => {
  it('joins neighbours of one role, and begins with the user', () => {
    expect(messagesFor({ role: 'assistant', content: 'A' }, user('B'), user([{ type: 'text', text: 'C' }]))).to.deep.equal([
      { role: 'user', content: '...' },
      { role: 'assistant', content: 'A' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'B' },
          { type: 'text', text: 'C' },
        ],
      },
    ]);
  });

  it('says something where Anthropic refuses to have nothing', () => {
    for (const content of ['', null, undefined, [], [{ type: 'text', text: '' }]]) {
      expect(messagesFor(user(content))).to.deep.equal([{ role: 'user', content: '...' }]);
    }
    expect(messagesFor(user('A'), { role: 'assistant', content: 'So: \n' })).to.deep.equal([
      { role: 'user', content: 'A' },
      { role: 'assistant', content: 'So:' },
    ]);
  });

  it('puts the results of parallel calls into one user message, and what the user says after them', () => {
    const calls = ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: id === 'a' ? '' : '{"x":1}' } }));
    expect(
      messagesFor(
        user('go'),
        { role: 'assistant', content: 'Ok', tool_calls: calls },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: '2' }] },
        user('and?'),
      ),
    ).to.deep.equal([
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Ok' },
          { type: 'tool_use', id: 'a', name: 'f', input: {} },
          { type: 'tool_use', id: 'b', name: 'f', input: { x: 1 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: '1' },
          { type: 'tool_result', tool_use_id: 'b', content: '2' },
          { type: 'text', text: 'and?' },
        ],
      },
    ]);
  });

  it('joins system and developer texts, as blocks when one of them is to be cached', () => {
    const system = { role: 'system', content: 'A' };
    expect(asked({ messages: [system, { role: 'developer', content: 'B' }, user('x')] }).system).to.equal('A\nB');
    const cached = { role: 'system', content: [{ type: 'text', text: 'C', cache_control: { type: 'ephemeral' } }] };
    expect(asked({ messages: [system, cached, user('x')] }).system).to.deep.equal([
      { type: 'text', text: 'A' },
      { type: 'text', text: 'C', cache_control: { type: 'ephemeral' } },
    ]);
  });

  it('takes images by address or inside, PDFs inside, and refuses the rest with the field at fault', () => {
    const image = (url: unknown) => messagesFor(user([{ type: 'image_url', image_url: url }])) as { content: JsonObject[] }[];
    expect(image({ url: 'https://h.example.com/a.png' })[0]?.content[0]).to.deep.equal({
      type: 'image',
      source: { type: 'url', url: 'https://h.example.com/a.png' },
    });
    expect(image('data:image/jpg;base64,QUJD')[0]?.content[0]?.source).to.deep.equal({
      type: 'base64',
      media_type: 'image/jpeg',
      data: 'QUJD',
    });
    const pdf = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,QUJD' } };
    expect((messagesFor(user([pdf])) as { content: JsonObject[] }[])[0]?.content[0]).to.include({ type: 'document', title: 'a.pdf' });
    for (const part of [
      { type: 'image_url', image_url: { url: 'data:image/tiff;base64,QUJD' } },
      { type: 'image_url', image_url: { url: 'file:///etc/passwd' } },
      { type: 'image_url' },
      { type: 'input_audio', input_audio: { data: 'QUJD', format: 'wav' } },
      { type: 'file', file: { file_id: 'x' } },
    ]) {
      expect(() => messagesFor(user([part])), JSON.stringify(part))
        .to.throw(RequestRefused)
        .with.property('param', 'messages');
    }
  });

  it('translates every tool choice, and leaves tools out where there are none', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    expect(asked({ tools }).tools).to.deep.equal([{ name: 'f', input_schema: { type: 'object', properties: {} } }]);
    const choice = (tool_choice: unknown, rest = {}) => asked({ tools, tool_choice, ...rest }).tool_choice;
    expect(choice('auto')).to.deep.equal({ type: 'auto' });
    expect(choice('required')).to.deep.equal({ type: 'any' });
    expect(choice('none')).to.deep.equal({ type: 'none' });
    expect(choice({ type: 'function', function: { name: 'f' } })).to.deep.equal({ type: 'tool', name: 'f' });
    expect(choice(undefined, { parallel_tool_calls: false })).to.deep.equal({ type: 'auto', disable_parallel_tool_use: true });
    expect(choice('required', { parallel_tool_calls: false })).to.deep.equal({ type: 'any', disable_parallel_tool_use: true });
    expect(asked({ tools: [], tool_choice: 'auto' })).to.not.have.any.keys('tools', 'tool_choice');
  });

  it('brings sampling into bounds, and drops what Anthropic does not know', () => {
    const request = asked({
      temperature: 1.7,
      top_p: 0,
      top_k: 5,
      n: 1,
      seed: 1,
      logit_bias: {},
      presence_penalty: 1,
      stop: ['a', ''],
      user: 'u',
    });
    expect(request).to.deep.equal({
      model: 'claude-3-5-sonnet',
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 4096,
      temperature: 1,
      top_p: 0,
      top_k: 5,
      stop_sequences: ['a'],
      metadata: { user_id: 'u' },
    });
    expect(asked({ temperature: 0, top_p: 0.5 }, 'claude-opus-4-1'))
      .to.include({ temperature: 0 })
      .and.not.have.property('top_p');
    expect(asked({ stop: 'x' }).stop_sequences).to.deep.equal(['x']);
    for (const stop of ['\n', ['a', ' \n']])
      expect(() => asked({ stop }), 'it would end no answer there')
        .to.throw(RequestRefused)
        .with.property('param', 'stop');
    expect(() => asked({ n: 2 }))
      .to.throw(RequestRefused)
      .with.property('param', 'n');
  });

  it('asks for JSON in words', () => {
    expect(asked({ response_format: { type: 'json_object' } }).system).to.match(/JSON object/);
    expect(asked({ response_format: { type: 'json_schema', json_schema: { schema: { type: 'object', title: 'T1' } } } }).system).to.include(
      '"T1"',
    );
  });

  it('thinks by the ending of the name, by effort, or by the field, and never beyond the limit', () => {
    const thinking = (request: object, model?: string) => {
      const { thinking: value, max_tokens, temperature } = asked(request, model);
      return [(value as { budget_tokens?: number } | undefined)?.budget_tokens, max_tokens, temperature];
    };
    expect(thinking({}, 'claude-x-thinking')).to.deep.equal([6553, 8192, 1]);
    expect(thinking({ max_tokens: 10 }, 'claude-x-thinking')).to.deep.equal([1024, 1280, 1]);
    expect(thinking({ reasoning_effort: 'low' })).to.deep.equal([1024, 5120, 1]);
    expect(thinking({ reasoning_effort: 'high', max_tokens: 5000 })).to.deep.equal([4000, 5000, 1]);
    expect(thinking({ reasoning_effort: 'high', max_tokens: 500 })).to.deep.equal([undefined, 500, undefined]);
    for (const most of ['xhigh', 'max']) expect(thinking({ reasoning_effort: most })).to.deep.equal(thinking({ reasoning_effort: 'high' }));
    expect(thinking({ reasoning_effort: 'none' })).to.deep.equal([undefined, 4096, undefined]);
    expect(thinking({ thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 3000 })).to.deep.equal([2000, 3000, 1]);
    const tools = [{ type: 'function', function: { name: 'f' } }];
    expect(thinking({ reasoning_effort: 'low', tools, tool_choice: 'required' })[0]).to.equal(undefined);
  });

  it('carries signed thinking to the caller and back in a tool loop', () => {
    const block = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
    const body = {
      content: [block, { type: 'tool_use', id: 'a', name: 'f', input: {} }],
      stop_reason: 'tool_use',
      usage: { output_tokens: 1 },
    };
    const { json } = playedBack(14, 'chat', Buffer.from(JSON.stringify(body)));
    const [choice] = json.choices as { message: JsonObject }[];
    expect(choice?.message.thinking_blocks).to.deep.equal([block]);
    const loop = (message: object) =>
      asked({ reasoning_effort: 'low', messages: [user('x'), message, { role: 'tool', tool_call_id: 'a', content: 'r' }] });
    const back = loop(choice?.message ?? {});
    expect((back.messages as { content: unknown[] }[])[1]?.content[0]).to.deep.equal(block);
    expect(back.thinking).to.not.equal(undefined);
    const { thinking_blocks: _lost, ...without } = choice?.message ?? {};
    expect(loop(without).thinking).to.equal(undefined);
  });
});

describe('an Anthropic answer in OpenAI words', () => {
  it('joins all texts, and maps every reason to stop', () => {
    const told = (stop_reason: string) => {
      const body = {
        id: 'msg_1',
        content: [
          { type: 'text', text: 'a' },
          { type: 'redacted_thinking', data: 'x' },
          { type: 'text', text: 'b' },
        ],
        stop_reason,
      };
      const [choice] = playedBack(14, 'chat', Buffer.from(JSON.stringify(body))).json.choices as {
        message: JsonObject;
        finish_reason: string;
      }[];
      expect(choice?.message.content).to.equal('ab');
      return choice?.finish_reason;
    };
    const reasons = ['end_turn', 'stop_sequence', 'pause_turn', 'max_tokens', 'model_context_window_exceeded', 'refusal', 'toString'];
    expect(reasons.map(told)).to.deep.equal(['stop', 'stop', 'stop', 'length', 'length', 'content_filter', 'stop']);
  });

  it('has ended for some reason, also where its last events say none', () => {
    const events: JsonObject[] = [
      { type: 'message_start', message: { id: 'msg_1', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
      { type: 'message_delta', delta: { stop_reason: null }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ];
    const { chunks } = streamed(14, 'chat', Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')));
    expect(chunks.flatMap(({ choices }) => (choices as JsonObject[]).map((choice) => choice.finish_reason))).to.deep.equal([
      null,
      null,
      'stop',
    ]);
  });

  it('tells cache writes of five minutes and of an hour apart', () => {
    const usage = {
      input_tokens: 3,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      cache_read_input_tokens: 100,
      output_tokens: 5,
    };
    const { counted, shownUsage } = playedBack(14, 'chat', Buffer.from(JSON.stringify({ content: [], usage })));
    expect(counted).to.include({ textInput: 3, cacheWrite5m: 10, cacheWrite1h: 20, cachedInput: 100, textOutput: 5 });
    expect(shownUsage).to.include({ prompt_tokens: 133, completion_tokens: 5, total_tokens: 138 });
  });
});
