import { noUsage } from '@tollgate/contracts';
import { type JsonObject, openStreamReading, readWhole, SseReader } from '@tollgate/providers';
import { expect } from 'chai';
import { chunksOf, dialectOf, streamed } from './four-corners.ts';
import { type Caller, callers, type Heard } from './heard.ts';

const stamp = { id: 'test', createdSeconds: 1_741_000_000, model: 'm' };
const others = callers.filter(({ route }) => route.dialect.name !== 'openai');

interface Chunk {
  id?: string;
  delta?: JsonObject;
  finish?: string;
}

/** The text that a caller gets of chunks of OpenAI’s dialect. */
function toldStream({ route }: Caller, chunks: Chunk[]): string {
  const reading = openStreamReading(dialectOf(1, 'chat'), { stamp });
  const request = { model: 'm', stream: true };
  const words = route.writer(reading, { request, sent: request, isSame: false });
  const body = chunks
    .map(({ id = 'one', delta = {}, finish = null }) => ({ id, choices: [{ index: 0, delta, finish_reason: finish }] }))
    .map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  let text = '';
  for (const frame of new SseReader().push(Buffer.from(body.join('')))) text += words.frame(frame, reading.read(frame))?.toString() ?? '';
  return text + words.end(noUsage).toString();
}

function heardStream(caller: Caller, calls: JsonObject[], finish = 'tool_calls'): Heard {
  return caller.streamed(toldStream(caller, [...calls.map((call) => ({ delta: { tool_calls: [call] } })), { finish }]));
}

function heardWhole(caller: Caller, calls: JsonObject[], finish = 'tool_calls'): Heard {
  const message = { role: 'assistant', content: null, tool_calls: calls };
  const answer = { id: 'one', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }] };
  const { name } = caller.route.dialect;
  const reading = readWhole(dialectOf(1, 'chat'), Buffer.from(JSON.stringify(answer)), { stamp, speaks: name });
  return caller.whole(JSON.parse(caller.route.whole(reading, noUsage, {}).toString()) as JsonObject);
}

const call = (name: string, args: unknown, more: JsonObject = {}) => ({ ...more, type: 'function', function: { name, arguments: args } });
const piece = (index: number, args: string) => ({ index, function: { arguments: args } });
const two = [
  { name: 'f', args: { a: 1 } },
  { name: 'g', args: { b: 2 } },
];
const named = ({ calls }: Heard) => calls.map(({ name, args }) => ({ name, args }));

describe('tool calls of providers who are careless with them', () => {
  for (const caller of others) {
    describe(`for callers of ${caller.route.dialect.name}`, () => {
      it('have an id each, also those that come without one: a result has to name its call', () => {
        const streamed = heardStream(caller, [
          call('f', '', { index: 0 }),
          piece(0, '{"a":1}'),
          call('g', '{"b":2}', { index: 1, id: '' }),
        ]);
        const whole = heardWhole(caller, [call('f', '{"a":1}'), call('g', '{"b":2}')]);
        for (const heard of [streamed, whole]) {
          expect(named(heard)).to.deep.equal(two);
          for (const { id } of heard.calls) expect(id).to.match(/^call_\w{8,}$/);
          expect(new Set(heard.calls.map(({ id }) => id)).size).to.equal(2);
        }
      });

      it('are told apart when all have the same number, or none', () => {
        const same = [call('f', '{"a":', { index: 0, id: 'x' }), piece(0, '1}'), call('g', '{"b":2}', { index: 0, id: 'y' })];
        const none = [call('f', '{"a":1}'), call('g', '{"b":2}')];
        for (const calls of [same, none]) expect(named(heardStream(caller, calls))).to.deep.equal(two);
        expect(heardStream(caller, same).calls.map(({ id }) => id)).to.deep.equal(['x', 'y']);
      });

      it('stay one call when each of its pieces says its name and id again', () => {
        const again = ['{"a"', ':', '1}'].map((args) => call('f', args, { index: 0, id: 'x' }));
        expect(named(heardStream(caller, again))).to.deep.equal([two[0]]);
      });

      it('have their arguments, also where these come as an object', () => {
        const objects = [call('f', { a: 1 }, { index: 0, id: 'x' }), call('g', { b: 2 }, { index: 1, id: 'y' })];
        expect(named(heardStream(caller, objects))).to.deep.equal(two);
        expect(named(heardWhole(caller, objects))).to.deep.equal(two);
      });

      it('are what the answer has ended for, also where it says that it just stopped, but not where it was cut short', () => {
        const calls = [call('f', '{"a":1}', { index: 0, id: 'x' })];
        for (const heardOf of [heardStream, heardWhole]) {
          expect(heardOf(caller, calls, 'stop').end).to.equal(caller.ends.tool_calls);
          expect(heardOf(caller, calls, 'length').end).to.equal(caller.ends.length);
        }
      });
    });
  }

  it('that are cut short are told as such to callers of OpenAI, too: their arguments are no JSON', () => {
    const block = { type: 'tool_use', id: 'x', name: 'f', input: {} };
    const events: JsonObject[] = [
      { type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ];
    const bytes = Buffer.from(events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
    const reasons = chunksOf(streamed(14, 'chat', { bytes, size: bytes.length }).text).flatMap(({ choices }) =>
      (choices as JsonObject[]).map((choice) => choice.finish_reason),
    );
    expect(reasons.filter((reason) => reason !== null)).to.deep.equal(['length']);
  });
});

describe('a response whose provider names each of his chunks otherwise', () => {
  it('has one id from its first event to its last', () => {
    const responses = others.find(({ route }) => route.dialect.name === 'responses') as Caller;
    const text = toldStream(responses, [
      { id: '', delta: {} },
      { id: 'a', delta: { content: 'Hi' } },
      { id: 'b', finish: 'stop' },
    ]);
    const events = [...new SseReader().push(Buffer.from(text))].map((frame) => frame.json() as JsonObject);
    const ids = events.flatMap(({ response }) => (response === undefined ? [] : [(response as JsonObject).id]));
    expect(ids).to.have.length(3);
    expect(new Set(ids).size).to.equal(1);
  });
});
