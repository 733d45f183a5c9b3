import { completionTokensOf, noUsage, promptTokensOf } from '@tollgate/contracts';
import {
  type AnyDialect,
  type ChatRequest,
  type JsonObject,
  openStreamReading,
  outgoing,
  readWhole,
  serverSentEvents,
} from '@tollgate/providers';
import { wireBytes } from '@tollgate/testing';
import { expect } from 'chai';
import { dialectOf, targetOf } from './four-corners.ts';
import * as streams from './full-streams.ts';
import { type Caller, callers, type Heard } from './heard.ts';
import { sampleFor, type Upstream, upstreams } from './matrix.ts';

const stamp = { id: 'test', createdSeconds: 1_741_000_000, model: 'stamped-model' };
const { told } = streams;

/** What a stream says of the things that translation must keep; what is left out, its provider does not say. */
interface Facts {
  bytes: Buffer;
  thought: string;
  words?: string;
  calls: readonly { id?: string; name: string; args: unknown }[];
  signature?: string;
}

const [first] = told.calls;
const all = { thought: told.thought, words: told.words, calls: told.calls };
/** Of the providers who speak a dialect of their own, by their types. */
const own = new Map<number, () => Facts>([
  [15, () => ({ bytes: streams.baiduStream(), thought: '', words: told.words, calls: [{ name: first.name, args: first.args }] })],
  [23, () => ({ bytes: streams.tencentStream(), thought: '', words: told.words, calls: told.calls })],
  [34, () => ({ bytes: streams.cohereStream(), thought: told.thought, words: '', calls: told.calls })],
  [
    18,
    () => ({
      bytes: wireBytes('xunfei-ws/function-call.response.jsonl'),
      thought: '',
      words: '',
      calls: [{ name: 'get_weather', args: { city: '合肥' } }],
    }),
  ],
]);

function factsOf(upstream: Upstream, dialect: AnyDialect): Facts | undefined {
  const { speaks, framing } = dialect;
  if (speaks === 'openai') return { bytes: streams.openaiStream(), ...all };
  if (speaks === 'gemini') return { bytes: streams.geminiStream(), ...all, signature: told.signature };
  if (speaks === 'anthropic') {
    return { bytes: framing ? streams.bedrockStream() : streams.anthropicStream(), ...all, signature: told.signature };
  }
  const known = own.get(upstream.type);
  if (known !== undefined) return known();
  const recorded = sampleFor(upstream, true)?.sample;
  return recorded && { bytes: wireBytes(recorded.response.bodyFile), thought: '', words: recorded.expect?.content ?? undefined, calls: [] };
}

/** What a caller hears of the stream, which comes in pieces of `size`; and what the provider’s bill says. */
function heardOf(dialect: AnyDialect, { route, streamed }: Caller, { bytes, size }: { bytes: Buffer; size: number }) {
  const reading = openStreamReading(dialect, { stamp });
  const request = { model: 'm', stream: true, stream_options: { include_usage: true } };
  const words = route.writer(reading, { request, sent: request, isSame: dialect.speaks === route.dialect.name });
  const reader = (dialect.framing ?? serverSentEvents).open();
  let text = '';
  const say = (frame: Parameters<typeof reading.read>[0]) => {
    text += words.frame(frame, reading.read(frame))?.toString() ?? '';
  };
  for (let at = 0; at < bytes.length; at += size) for (const frame of reader.push(bytes.subarray(at, at + size))) say(frame);
  for (const frame of reader.end()) say(frame);
  const usage = reading.usage?.trusted ? reading.usage.usage : noUsage;
  text += words.end(usage).toString();
  return { heard: streamed(text), bill: { input: promptTokensOf(usage), output: completionTokensOf(usage) } };
}

describe('every upstream’s stream, for every caller', () => {
  for (const upstream of upstreams()) {
    const dialect = dialectOf(upstream.type, 'chat', upstream.model);
    const facts = factsOf(upstream, dialect);
    if (facts === undefined) continue; // it never streams
    for (const caller of callers) {
      const name = caller.route.dialect.name;
      it(`of ${upstream.name} (${upstream.type}) keeps calls, their ids and order, signatures and usage for callers of ${name}`, () => {
        for (const size of [facts.bytes.length, 5]) check(facts, heardOf(dialect, caller, { bytes: facts.bytes, size }));
      });
    }
  }
});

describe('what signs a call of Gemini’s', () => {
  it('comes back with an Anthropic caller’s next question, and goes to no other provider', () => {
    const caller = callers.find(({ route }) => route.dialect.name === 'anthropic') as Caller;
    const gemini = dialectOf(24, 'chat', 'gemini-2.5-flash');
    const whole = wholeOf(gemini, caller);
    const [sealed] = whole.filter(({ type }) => type === 'redacted_thinking');
    expect(sealed?.data).to.be.a('string');
    const answered = told.calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' }));
    const messages = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: whole },
      { role: 'user', content: answered },
    ];
    const json = { model: 'm', max_tokens: 1000, messages };
    const sent = { bytes: Buffer.from(JSON.stringify(json)), long: undefined, json: structuredClone(json), address: {} };
    const request = caller.route.read(sent) as ChatRequest;
    const sentTo = (type: number, model: string) =>
      outgoing(dialectOf(type, 'chat', model), { ...sent, speaks: 'anthropic', request, target: targetOf(type, model) }).body.toString();
    const { contents } = JSON.parse(sentTo(24, 'gemini-2.5-flash')) as { contents: { parts: JsonObject[] }[] };
    expect(contents[1]?.parts.map(({ thoughtSignature }) => thoughtSignature)).to.deep.equal([undefined, told.signature, undefined]);
    expect(sentTo(14, 'claude-x')).to.not.include('redacted_thinking');
    expect(sentTo(1, 'gpt-4o')).to.not.include(told.signature);
  });
});

/** The blocks of a whole answer. */
function wholeOf(dialect: AnyDialect, { route }: Caller): JsonObject[] {
  const [first, second] = told.calls;
  const parts = [{ text: told.words }, { functionCall: first, thoughtSignature: told.signature }, { functionCall: second }];
  const body = { candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }] };
  const reading = readWhole(dialect, Buffer.from(JSON.stringify(body)), { stamp, speaks: 'anthropic' });
  return (JSON.parse(route.whole(reading, noUsage, {}).toString()) as { content: JsonObject[] }).content;
}

function check(facts: Facts, { heard, bill }: { heard: Heard; bill: { input: number; output: number } }): void {
  expect(heard.error).to.equal(undefined);
  expect(heard.thought).to.equal(facts.thought);
  if (facts.words !== undefined) expect(heard.text).to.equal(facts.words);
  const ids = heard.calls.map(({ id }) => id);
  expect(heard.calls).to.deep.equal(facts.calls.map(({ id = ids[0], name, args }) => ({ id, name, args })));
  expect(new Set(ids).size).to.equal(facts.calls.length);
  for (const id of ids) expect(id).to.match(/^\w{6,}$/);
  expect(heard.signatures).to.deep.equal(facts.signature === undefined ? [] : [facts.signature]);
  const kinds = [facts.thought && 'thought', (facts.words ?? heard.text) && 'words', facts.calls.length > 0 && 'calls'];
  expect(heard.order).to.deep.equal(kinds.filter(Boolean));
  expect(heard.usage).to.deep.equal(bill);
  if (facts.calls === told.calls) expect(bill).to.deep.equal(told.usage);
}
