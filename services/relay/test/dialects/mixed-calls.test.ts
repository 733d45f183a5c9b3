import { noUsage } from '@tollgate/contracts';
import { type JsonObject, openStreamReading, outgoing, providerOf, SseReader, type Target } from '@tollgate/providers';
import { expect } from 'chai';
import { messagesRoute } from '../../src/dialects/anthropic/anthropic.ts';
import { dialectOf } from './four-corners.ts';
import { toldTo } from './next-turn.ts';

const stamp = { id: 'test', createdSeconds: 1_741_000_000, model: 'm' };

/** What an Anthropic caller is told of pieces of tool calls, in their order. */
function told(pieces: [index: number, piece: string, id?: string][]): JsonObject[] {
  const reading = openStreamReading(dialectOf(1, 'chat'), { stamp });
  const words = messagesRoute.writer(reading, { request: { model: 'm' }, sent: {}, isSame: false });
  const chunks = pieces.map(([index, args, id]) => ({
    choices: [
      {
        index: 0,
        delta: { tool_calls: [{ index, ...(id && { id }), function: { ...(id && { name: `tool_${index}` }), arguments: args } }] },
      },
    ],
  }));
  const last = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] };
  const body = [...chunks, last].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
  let text = '';
  for (const frame of new SseReader().push(Buffer.from(body))) text += words.frame(frame, reading.read(frame))?.toString() ?? '';
  text += words.end(noUsage).toString();
  return [...new SseReader().push(Buffer.from(text))].flatMap((frame) => [frame.json() as JsonObject]);
}

/** The calls, each with its arguments, and whether one block was open at a time. */
function calls(events: JsonObject[]): { id: unknown; args: string }[] {
  const heard: { id: unknown; args: string }[] = [];
  let open: unknown;
  for (const { type, index, content_block: block, delta } of events) {
    if (type === 'content_block_start') {
      expect(open).to.equal(undefined);
      open = index;
      heard.push({ id: (block as JsonObject).id, args: '' });
    } else if (type === 'content_block_stop') open = undefined;
    else if (type === 'content_block_delta') (heard.at(-1) as { args: string }).args += String((delta as JsonObject).partial_json);
  }
  return heard;
}

describe('tool calls whose pieces come mixed', () => {
  it('are told one after another, each whole', () => {
    const events = told([
      [0, '', 'a'],
      [1, '', 'b'],
      [0, '{"x":'],
      [1, '{"y":'],
      [2, '{"z":3}', 'c'],
      [1, '2}'],
      [0, '1}'],
    ]);
    expect(calls(events)).to.deep.equal([
      { id: 'a', args: '{"x":1}' },
      { id: 'b', args: '{"y":2}' },
      { id: 'c', args: '{"z":3}' },
    ]);
    expect(events.map(({ type }) => type))
      .to.include('message_stop')
      .and.not.include('error');
  });

  it('that come one after another are told as they come', () => {
    const events = told([
      [0, '{"x":1}', 'a'],
      [1, '{"y":', 'b'],
      [1, '2}'],
    ]);
    expect(calls(events).map(({ args }) => args)).to.deep.equal(['{"x":1}', '{"y":2}']);
  });

  it('that never end are told as they are', () => {
    expect(
      calls(
        told([
          [0, '{"x":', 'a'],
          [1, '{}', 'b'],
        ]),
      ).map(({ args }) => args),
    ).to.deep.equal(['{"x":', '{}']);
  });
});

describe('thinking that another provider has signed, or nobody', () => {
  const messages = [
    { role: 'user', content: 'hi' },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'of another', signature: '' },
        { type: 'text', text: 'x' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'its own', signature: 'EqQBsigned' },
        { type: 'text', text: 'y' },
      ],
    },
    { role: 'user', content: 'go on' },
  ];

  it('does not travel to Anthropic when it has no signature; its own does', () => {
    const json = { model: 'claude-sonnet-4-20250514', max_tokens: 10, messages };
    const request = messagesRoute.read({ bytes: Buffer.alloc(0), long: undefined, json: structuredClone(json), address: {} });
    const target: Target = { baseUrl: 'https://api.anthropic.com', key: 'k', model: json.model };
    const bytes = Buffer.from(JSON.stringify(json));
    const { body } = outgoing(dialectOf(14, 'chat'), { speaks: 'anthropic', bytes, json, request, target });
    expect(body.toString()).to.not.include('of another').and.not.include('"signature":""');
    expect(body.toString()).to.include('EqQBsigned');
  });

  it('does not travel to a maker of OpenAI’s dialect at its own address, nor to OpenAI’s models anywhere', () => {
    const request = {
      model: 'm',
      messages: [{ role: 'assistant', content: 'x', thinking_blocks: [{ type: 'thinking', signature: 'EqQBsigned' }] }],
    };
    const sentTo = (baseUrl: string, model = 'a-model') =>
      outgoing(dialectOf(1, 'chat'), {
        speaks: 'openai',
        bytes: Buffer.from(JSON.stringify(request)),
        request,
        target: { baseUrl, key: 'k', model },
      }).body.toString();
    expect(sentTo(providerOf(1)?.baseUrl ?? '')).to.not.include('EqQBsigned');
    expect(sentTo('https://a-gateway.example.com')).to.include('EqQBsigned');
    expect(sentTo('https://a-gateway.example.com', 'gpt-4o')).to.not.include('EqQBsigned');
  });

  it('does not travel to one from callers of Anthropic’s dialect, nor does what else is Anthropic’s alone, whatever the model wants otherwise', () => {
    const cached = { cache_control: { type: 'ephemeral' } };
    const result = { type: 'tool_result', tool_use_id: 'a', content: 'no', is_error: true };
    const question = {
      model: 'm',
      max_tokens: 900,
      system: [{ type: 'text', text: 'Be brief.', ...cached }],
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'EqQBsigned' },
            { type: 'tool_use', id: 'a', name: 'f', input: {} },
          ],
        },
        { role: 'user', content: [result, { type: 'text', text: 'And?', ...cached }] },
      ],
    };
    for (const model of ['gpt-4o', 'gpt-5', 'o3', 'o1-mini']) {
      for (const baseUrl of [providerOf(1)?.baseUrl, 'https://a-gateway.example.com']) {
        const body = toldTo({ type: 1, model, ...(baseUrl !== undefined && { baseUrl }) }, 'anthropic', JSON.stringify(question));
        expect(body, `${model} at ${baseUrl}`).to.not.match(/cache_control|is_error|thinking_blocks|EqQBsigned/);
        expect(body).to.include('Be brief.').and.to.include('Error: no').and.to.include('And?');
      }
    }
  });
});
