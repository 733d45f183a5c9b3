import { noUsage } from '@tollgate/contracts';
import { type ChatDialect, type ChatRequest, type JsonObject, openStreamReading, readWhole, SseReader } from '@tollgate/providers';
import { wireBytes, wireSample } from '@tollgate/testing';
import { expect } from 'chai';
import type { RelayRoute } from '../../src/context/route.ts';
import { messagesRoute } from '../../src/dialects/anthropic/anthropic.ts';
import { generateRoute } from '../../src/dialects/gemini/gemini.ts';
import { chatRoute } from '../../src/dialects/openai/routes.ts';
import { dialectOf, modelOf, targetOf } from './four-corners.ts';

const stamp = { id: 'test', createdSeconds: 1_741_000_000, model: 'stamped-model' };

interface Speech {
  type: number;
  route: RelayRoute;
  model: string;
}

/** Who speaks each dialect, as a provider and as a caller. */
const speeches: Record<'openai' | 'anthropic' | 'gemini', Speech> = {
  openai: { type: 1, route: chatRoute as unknown as RelayRoute, model: 'gpt-4o-mini' },
  anthropic: { type: 14, route: messagesRoute as unknown as RelayRoute, model: 'claude-x' },
  gemini: { type: 24, route: generateRoute as unknown as RelayRoute, model: 'gemini-x' },
};
type Name = keyof typeof speeches;
const names = Object.keys(speeches) as Name[];

/** An answer of a provider who speaks `from`, as a caller who speaks `to` gets it. */
function wholeAnswer(bytes: Buffer, { from, to, model }: { from: Speech; to: Speech; model: string }): Buffer {
  const reading = readWhole(dialectOf(from.type, 'chat', model), bytes, { stamp, speaks: to.route.dialect.name });
  return to.route.whole(reading, reading.usage?.trusted ? reading.usage.usage : noUsage, {});
}

function streamedAnswer(bytes: Buffer, { from, to, model }: { from: Speech; to: Speech; model: string }): Buffer {
  const dialect = dialectOf(from.type, 'chat', model);
  const reading = openStreamReading(dialect, { stamp });
  const request = { model: 'm', stream: true, stream_options: { include_usage: true } };
  const words = to.route.writer(reading, { request, sent: request, isSame: dialect.speaks === to.route.dialect.name });
  const out: Buffer[] = [];
  const say = (piece: Buffer | string | undefined) => piece !== undefined && out.push(Buffer.from(piece));
  for (const frame of new SseReader().push(bytes)) say(words.frame(frame, reading.read(frame)));
  say(words.end(reading.usage?.trusted ? reading.usage.usage : noUsage));
  return Buffer.concat(out);
}

/** All that stands under these keys, however deep, put together in order: pieces of a text are the text. */
function saidIn(bytes: Buffer, isStream: boolean): Record<string, unknown> {
  const said: Record<string, unknown> = {};
  const visit = (value: unknown, isThought: boolean) => {
    if (Array.isArray(value)) for (const item of value) visit(item, isThought);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const thinks = (value as JsonObject).thought === true;
    for (const [key, inner] of Object.entries(value)) {
      const name = thinks && key === 'text' ? 'thought' : key;
      if (texts.has(name) && typeof inner === 'string') said[name] = `${said[name] ?? ''}${inner}`;
      else if (facts.has(name) && inner !== null) said[name] = inner;
      else if (lists.has(name)) said[name] = [...((said[name] ?? []) as unknown[]), inner];
      visit(inner, thinks);
    }
  };
  if (isStream) for (const frame of new SseReader().push(bytes)) visit(frame.json(), false);
  else visit(JSON.parse(bytes.toString()), false);
  return said;
}
const texts = new Set(['text', 'content', 'thinking', 'thought', 'signature', 'thoughtSignature', 'partial_json', 'reasoning_content']);
const facts = new Set([
  ...['finish_reason', 'finishReason', 'stop_reason', 'prompt_tokens', 'completion_tokens', 'input_tokens', 'output_tokens'],
  ...['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount'],
]);
const lists = new Set(['tool_calls', 'functionCall', 'input', 'name']);

/** What the other dialect has no word for, and what is said in its place. */
const unsayable: Record<string, Record<string, unknown>> = {
  'anthropic/thinking-stream through gemini': { signature: '' }, // Gemini's own is none of Anthropic's: see the test of the caller's next turn
};

/** Without what was added: numbers of calls, and their names where the provider gave none. */
function withoutAdded(back: Record<string, unknown>, original: Record<string, unknown>): Record<string, unknown> {
  const calls = (all: unknown) => (all as JsonObject[]).map(({ id: _id, ...call }) => call);
  if (original.tool_calls !== undefined) {
    const lists = back.tool_calls as JsonObject[][];
    return { ...back, tool_calls: lists.map((list) => list.map(({ index: _index, ...call }) => call)) };
  }
  const isNamed = (original.functionCall as JsonObject[] | undefined)?.some(({ id }) => id !== undefined);
  return original.functionCall === undefined || isNamed ? back : { ...back, functionCall: calls(back.functionCall) };
}

describe('recorded answers, there and back through another dialect', () => {
  for (const name of names) {
    for (const other of names) {
      if (name === other) continue;
      for (const recorded of ['chat', 'tool-call', 'chat-stream', 'thinking-stream']) {
        if (name === 'openai' && recorded === 'thinking-stream') continue;
        const sample = wireSample(`${name}/${recorded}`);
        const way = `${name}/${recorded} through ${other}`;
        it(`${way} says the same`, () => {
          const isStream = recorded.endsWith('stream');
          const translate = isStream ? streamedAnswer : wholeAnswer;
          const [here, there] = [speeches[name], speeches[other]];
          const original = wireBytes(sample.response.bodyFile);
          const between = translate(original, { from: here, to: there, model: modelOf(sample) });
          const back = translate(between, { from: there, to: here, model: there.model });
          const said = saidIn(original, isStream);
          const wanted = Object.entries({ ...said, ...unsayable[way] }).filter(([, value]) => value !== undefined);
          expect(withoutAdded(saidIn(back, isStream), said)).to.deep.equal(Object.fromEntries(wanted));
        });
      }
    }
  }

  it('a signed thought that a caller of Gemini’s dialect was told is whole in his next turn', () => {
    const [here, there] = [speeches.anthropic, speeches.gemini];
    const sample = wireSample('anthropic/thinking-stream');
    const original = wireBytes(sample.response.bodyFile);
    const heard = streamedAnswer(original, { from: here, to: there, model: modelOf(sample) });
    const parts: JsonObject[] = [];
    for (const frame of new SseReader().push(heard)) {
      const { candidates } = frame.json() as { candidates?: { content?: { parts?: JsonObject[] } }[] };
      parts.push(...(candidates?.[0]?.content?.parts ?? []));
    }
    const asked = (role: string, text: string) => ({ role, parts: [{ text }] });
    const json = { contents: [asked('user', '13*7?'), { role: 'model', parts }, asked('user', 'Sure?')] };
    const address = { model: modelOf(sample), isStream: false };
    const hub = there.route.read({ bytes: Buffer.alloc(0), long: undefined, json, address }) as ChatRequest;
    const dialect = dialectOf(here.type, 'chat', modelOf(sample)) as ChatDialect;
    if (dialect.speaks === 'openai') throw new Error('Anthropic speaks a dialect of its own');
    const encoded = JSON.stringify(dialect.encodeRequest(hub, targetOf(here.type, modelOf(sample))));
    const sent = JSON.parse(encoded) as { messages: { role: string; content: unknown }[] };
    const { thinking, signature, text } = saidIn(original, true);
    expect(sent.messages.find(({ role }) => role === 'assistant')?.content).to.deep.equal([
      { type: 'thinking', thinking, signature },
      { type: 'text', text },
    ]);
  });
});
