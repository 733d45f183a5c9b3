import { noUsage } from '@tollgate/contracts';
import { SseReader, UpstreamError } from '@tollgate/providers';
import { wireBytes } from '@tollgate/testing';
import { expect } from 'chai';
import { chunksOf, openStream, streamed } from './four-corners.ts';

function sse(...events: unknown[]): Buffer {
  return Buffer.from(events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join(''));
}

function chunk(delta: object, rest: object = {}, finish: string | null = null) {
  return {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...rest,
  };
}

describe('a stream of the same dialect', () => {
  for (const file of [
    'openai/chat-stream',
    'azure/chat-stream',
    'deepseek/reasoner-stream',
    'volcengine-ark/chat-stream',
    'baidu-v2/chat-stream',
  ]) {
    it(`passes ${file} on byte for byte, however it was cut`, () => {
      const bytes = wireBytes(`${file}.response.sse`);
      const type = { openai: 1, azure: 3, deepseek: 43, 'volcengine-ark': 45, 'baidu-v2': 46 }[file.split('/')[0] ?? ''] ?? 0;
      for (const size of [1, 5, 33, 512, bytes.length]) {
        expect(streamed(type, 'chat', { bytes, size }).text).to.equal(bytes.toString());
      }
    });
  }

  it('swallows the usage event that the caller did not ask for, and nothing else', () => {
    const bytes = wireBytes('openai/chat-stream.response.sse');
    const answer = streamed(1, 'chat', { bytes, size: 64, wantsUsage: false });
    const frames = bytes.toString().split('\n\n');
    expect(answer.text.split('\n\n')).to.deep.equal(frames.filter((frame) => !frame.includes('"prompt_tokens"')));
    expect(answer.source).to.equal('upstream');
    expect(answer.counted).to.include({ textInput: 11, textOutput: 6 });
  });

  it('gives a caller who asked for usage what he is charged, when the provider gives none or an absurd one', () => {
    for (const usage of [undefined, { prompt_tokens: -5, completion_tokens: 1e18 }]) {
      const events = [
        chunk({ content: 'Hello there' }),
        chunk({}, {}, 'stop'),
        ...(usage ? [{ ...chunk({}), choices: [], usage }] : []),
        '[DONE]',
      ];
      const answer = streamed(1, 'chat', { bytes: sse(...events), size: 50 });
      expect(answer.source).to.equal(usage ? 'estimated' : 'counted');
      expect(answer.shownUsage?.prompt_tokens).to.equal(5);
      expect(answer.shownUsage?.completion_tokens).to.be.within(2, 4);
      expect(answer.text.endsWith('data: [DONE]\n\n')).to.equal(true);
    }
  });

  it('ends an answer that is whole although [DONE] never came, and knows one that died', () => {
    const whole = streamed(1, 'chat', { bytes: sse(chunk({ content: 'a' }), chunk({}, {}, 'stop')), size: 20 });
    expect(whole.isComplete).to.equal(true);
    expect(whole.text.endsWith('data: [DONE]\n\n')).to.equal(true);
    const dead = streamed(1, 'chat', { bytes: sse(chunk({ content: 'a' })), size: 20 });
    expect(dead).to.include({ isComplete: false, hasContent: true, source: 'estimated' });
    expect(streamed(1, 'chat', { bytes: sse(chunk({ role: 'assistant', content: '' })), size: 20 }).hasContent).to.equal(false);
  });

  it('waits for every choice when several were asked for', () => {
    const stream = openStream(1, 'chat', { wantsUsage: false, choices: 2 });
    const other = { ...chunk({}), choices: [{ index: 1, delta: { content: 'b' }, finish_reason: 'stop' }] };
    const first = chunk({ content: 'a' }, {}, 'stop');
    const frames = [...new SseReader().push(sse(first, first, other))];
    for (const [index, frame] of frames.entries()) {
      stream.push(frame);
      expect(stream.reading.isComplete, 'two ends of one choice are one').to.equal(index === 2);
    }
  });

  it('shows and charges no bill that was written before the answer, or for less than any tokenizer makes of it', () => {
    const words = Array.from({ length: 100 }, (_, at) => chunk({ content: ` word${at}` }));
    const bill = (usage: object) => ({ ...chunk({}), choices: [], usage });
    const end = [chunk({}, {}, 'stop'), '[DONE]'];
    const early = bill({ prompt_tokens: 10, completion_tokens: 5 });
    const openings = [
      [early, ...words],
      [...words, bill({ prompt_tokens: 10 })],
      [...words, bill({ prompt_tokens: 10, completion_tokens: 1 })],
    ];
    for (const events of openings) {
      const answer = streamed(1, 'chat', { bytes: sse(...events, ...end), size: 300 });
      expect(answer.shownUsage?.completion_tokens).to.be.within(100, 250);
      expect(answer.text.match(/"usage"/g)).to.have.length(1);
    }
    const honest = streamed(1, 'chat', {
      bytes: sse(...words, chunk({}, {}, 'stop'), bill({ prompt_tokens: 10, completion_tokens: 90 }), '[DONE]'),
      size: 300,
    });
    expect(honest.shownUsage).to.deep.equal({ prompt_tokens: 10, completion_tokens: 90 });
  });

  it('has no answer when nothing but its end comes', () => {
    const of = (...events: unknown[]) => {
      const stream = openStream(1, 'chat', { wantsUsage: false });
      for (const frame of new SseReader().push(sse(...events))) stream.push(frame);
      return stream.reading.hasAnswer;
    };
    expect(of('[DONE]')).to.equal(false);
    expect(of(chunk({ role: 'assistant', content: '', tool_calls: [], content_parts: [] }), '[DONE]')).to.equal(false);
    expect(of(chunk({}, {}, 'stop'), '[DONE]')).to.equal(true);
    expect(of(chunk({ content: [{ type: 'text', text: 'a' }] }))).to.equal(true);
  });

  it('holds the last word back until it is told what was charged', () => {
    const stream = openStream(1, 'chat', { wantsUsage: false });
    const [done, late] = new SseReader().push(sse('[DONE]', chunk({ content: 'late' })));
    expect(done && stream.push(done)).to.equal(undefined);
    expect(stream.reading.isDone).to.equal(true);
    expect(late && stream.push(late)).to.equal(undefined);
    expect(stream.words.end(noUsage).toString()).to.equal('data: [DONE]\n\n');
  });

  it('tells an error event as an error, also one without content before it', () => {
    const told = streamed(1, 'chat', { bytes: sse({ error: { message: 'no', type: 'server_error', code: null } }), size: 9 });
    expect(told.error).to.be.instanceOf(UpstreamError);
    expect(told.error).to.include({ status: 500, type: 'server_error' });
    expect(told.hasContent).to.equal(false);
    const inChoice = { id: 'x', choices: [{ index: 0, delta: {}, error: { code: 429, message: 'slow down' } }] };
    expect(streamed(20, 'chat', { bytes: sse(inChoice), size: 9 }).error).to.include({ status: 429, kind: 'rate_limit' });
  });

  it('passes on what is no JSON, and is not disturbed by odd chunks', () => {
    const bytes = Buffer.concat([
      Buffer.from(': hi\n\ndata: some text\n\n'),
      sse(null, [], { choices: [null, 5] }, chunk({ content: 'a' }, {}, 'stop'), '[DONE]'),
    ]);
    expect(streamed(1, 'chat', { bytes, size: 8, wantsUsage: false }).text).to.equal(bytes.toString());
  });

  it('moves reasoning into the content where a channel says so', () => {
    const bytes = wireBytes('deepseek/reasoner-stream.response.sse');
    const answer = streamed(43, 'chat', { bytes, size: 40, thinkingToContent: true });
    expect(answer.message).to.include({ content: '<think>\n6*7 = 42.\n</think>\n42', reasoning: '', finishReason: 'stop' });
    expect(answer.source).to.equal('upstream');
    const translated = streamed(14, 'chat', {
      bytes: wireBytes('anthropic/thinking-stream.response.sse'),
      size: 40,
      thinkingToContent: true,
    });
    expect(translated.message.content).to.equal('<think>\n13 times 7 is 91.\n</think>\n91');
  });

  it('moves the reasoning of each of several choices into its own content, over choices that are none', () => {
    const piece = (index: number, delta: object, finish_reason: string | null = null) => ({ choices: [{ index, delta, finish_reason }] });
    const thought = [0, 1].map((index) => piece(index, { reasoning_content: `why ${index}` }));
    const said = [0, 1].map((index) => piece(index, { content: `what ${index}` }));
    const ends = [0, 1].map((index) => piece(index, {}, 'stop'));
    const bytes = sse(...thought, { choices: [null, 5] }, ...said, ...ends, '[DONE]');
    const { text, error } = streamed(1, 'chat', { bytes, size: 40, thinkingToContent: true });
    expect(error).to.equal(undefined);
    const contentOf = (index: number) =>
      chunksOf(text)
        .flatMap(({ choices }) => choices as { index: number; delta: { content?: string } }[])
        .map((choice) => (choice?.index === index ? (choice.delta.content ?? '') : ''))
        .join('');
    for (const index of [0, 1]) expect(contentOf(index)).to.equal(`<think>\nwhy ${index}\n</think>\nwhat ${index}`);
  });

  it('takes a frame of 5 MB', () => {
    const bytes = sse(chunk({ content: 'x'.repeat(5 * 1024 * 1024) }), chunk({}, {}, 'stop'), '[DONE]');
    expect(streamed(1, 'chat', { bytes, size: 65_536, wantsUsage: false }).text.length).to.equal(bytes.length);
  });
});

describe('a translated stream', () => {
  const start = { type: 'message_start', message: { id: 'msg_1', model: 'claude', usage: { input_tokens: 3, output_tokens: 1 } } };
  const anthropic = (...events: unknown[]) => streamed(14, 'chat', { bytes: sse(...events), size: 30 });
  const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
  const delta = (index: number, inner: object) => ({ type: 'content_block_delta', index, delta: inner });
  const stop = (index: number) => ({ type: 'content_block_stop', index });

  it('numbers parallel tool calls by themselves, and gives one without arguments an empty object', () => {
    const answer = anthropic(
      start,
      block(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'Both.' }),
      stop(0),
      block(1, { type: 'tool_use', id: 't1', name: 'a', input: {} }),
      delta(1, { type: 'input_json_delta', partial_json: '' }),
      delta(1, { type: 'input_json_delta', partial_json: '{"x":' }),
      delta(1, { type: 'input_json_delta', partial_json: '1}' }),
      stop(1),
      block(2, { type: 'tool_use', id: 't2', name: 'b', input: {} }),
      stop(2),
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
      { type: 'message_stop' },
    );
    expect(answer.message.toolCalls).to.deep.equal([
      { id: 't1', name: 'a', arguments: '{"x":1}' },
      { id: 't2', name: 'b', arguments: '{}' },
    ]);
    expect(answer.message.finishReason).to.equal('tool_calls');
    expect(answer.shownUsage).to.include({ prompt_tokens: 3, completion_tokens: 9, total_tokens: 12 });
  });

  it('shows usage only to a caller who asked, and always one [DONE]', () => {
    const bytes = wireBytes('anthropic/chat-stream.response.sse');
    const answer = streamed(14, 'chat', { bytes, size: 10, wantsUsage: false });
    expect(answer.shownUsage).to.equal(undefined);
    expect(answer.text.match(/\[DONE\]/g)).to.have.length(1);
    expect(chunksOf(answer.text)[0]).to.deep.include({
      id: 'msg_demo02',
      object: 'chat.completion.chunk',
      model: 'claude-3-5-sonnet-20241022',
    });
  });

  it('is charged for what was delivered when it dies', () => {
    const answer = anthropic(
      start,
      block(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'one two three four five' }),
    );
    expect(answer).to.include({ isComplete: false, source: 'estimated' });
    expect(answer.counted).to.include({ textInput: 3 });
    expect(answer.counted.textOutput).to.be.within(5, 7);
  });

  it('says so when a known event has an unknown shape, and skips unknown events', () => {
    expect(anthropic(start, { type: 'content_block_delta', index: 'x' }).error).to.include({ kind: 'unreadable', status: 502 });
    expect(anthropic(start, { type: 'from_the_future', x: 1 }, { type: 'toString' }).error).to.equal(undefined);
  });

  it('counts the tool calls of Gemini across events', () => {
    const call = (name: string) => ({ candidates: [{ index: 0, content: { parts: [{ functionCall: { name, args: {} } }] } }] });
    const end = { candidates: [{ index: 0, finishReason: 'STOP' }], usageMetadata: { promptTokenCount: 2, candidatesTokenCount: 3 } };
    const answer = streamed(24, 'chat', { bytes: sse(call('a'), call('b'), end), size: 21 });
    expect(answer.message.toolCalls.map(({ name }) => name)).to.deep.equal(['a', 'b']);
    expect(answer.message.finishReason).to.equal('tool_calls');
    expect(new Set(answer.message.toolCalls.map(({ id }) => id)).size).to.equal(2);
  });

  it('tells a prompt that Gemini blocks in mid-stream', () => {
    const answer = streamed(24, 'chat', { bytes: sse({ promptFeedback: { blockReason: 'SAFETY' } }), size: 21 });
    expect(answer.error).to.include({ status: 400, kind: 'content_filter' });
  });
});
