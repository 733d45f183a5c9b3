import { noUsage } from '@tollgate/contracts';
import {
  type ChatRequest,
  type JsonObject,
  openStreamReading,
  providerOf,
  readWhole,
  SseReader,
  type StreamReading,
  serverSentEvents,
  spokenBy,
  UpstreamError,
} from '@tollgate/providers';
import { type WireSample, wireBytes, wireSamples } from '@tollgate/testing';
import { expect } from 'chai';
import { toldError } from '../../src/answer/told-error.ts';
import type { RelayRoute } from '../../src/call/route.ts';
import { messagesRoute } from '../../src/inbound/anthropic/routes.ts';
import { generateRoute } from '../../src/inbound/gemini/routes.ts';
import { responsesRoute } from '../../src/inbound/responses/routes.ts';
import { dialectOf, modelOf, targetOf } from './four-corners.ts';

const stamp = { id: 'test', createdSeconds: 1_741_000_000, model: 'stamped-model' };

/** What a caller makes of an answer, whatever dialect it came in. */
interface Heard {
  text: string;
  thought: string;
  calls: { id: string; name: string; args: unknown }[];
  end: string | undefined;
  error: string | undefined;
}

interface Caller {
  route: RelayRoute;
  /** The words for `stop`, `length`, `tool_calls` and `content_filter`. */
  ends: Record<string, string>;
  whole(answer: JsonObject): Heard;
  streamed(text: string): Heard;
}

const nothing = (): Heard => ({ text: '', thought: '', calls: [], end: undefined, error: undefined });

function heardBlocks(blocks: readonly JsonObject[], end: unknown): Heard {
  const of = (type: string) => blocks.filter((block) => block.type === type);
  return {
    text: of('text')
      .map(({ text }) => text)
      .join(''),
    thought: of('thinking')
      .map(({ thinking }) => thinking)
      .join(''),
    calls: of('tool_use').map(({ id, name, input }) => ({ id: String(id), name: String(name), args: input })),
    end: typeof end === 'string' ? end : undefined,
    error: undefined,
  };
}

function heardEvents(text: string): Heard {
  const blocks: JsonObject[] = [];
  const args: string[] = [];
  let open: number | undefined;
  let end: unknown;
  let error: string | undefined;
  for (const event of eventsIn(text)) {
    const index = event.index as number;
    const delta = (event.delta ?? {}) as JsonObject;
    if (event.type === 'content_block_start') {
      expect(open, 'one block at a time').to.equal(undefined);
      expect(index, 'blocks are numbered in a row').to.equal(blocks.length);
      open = index;
      blocks.push({ ...(event.content_block as JsonObject) });
      args.push('');
    } else if (event.type === 'content_block_stop') {
      expect(open).to.equal(index);
      open = undefined;
      const block = blocks[index] as JsonObject;
      if (block.type === 'tool_use' && args[index] !== '') block.input = JSON.parse(args[index] ?? '');
    } else if (event.type === 'content_block_delta') {
      const block = blocks[index] as JsonObject;
      expect(open).to.equal(index);
      if (delta.type === 'text_delta') block.text = String(block.text) + String(delta.text);
      else if (delta.type === 'thinking_delta') block.thinking = String(block.thinking) + String(delta.thinking);
      else if (delta.type === 'input_json_delta') args[index] += String(delta.partial_json);
    } else if (event.type === 'message_delta') end = delta.stop_reason;
    else if (event.type === 'error') error = String((event.error as JsonObject).message);
  }
  return { ...heardBlocks(blocks, end), error };
}

function heardCandidates(answers: readonly JsonObject[]): Heard {
  const heard = nothing();
  for (const answer of answers) {
    if (answer.error) heard.error = String((answer.error as JsonObject).message);
    const [candidate] = (answer.candidates ?? []) as JsonObject[];
    if (typeof candidate?.finishReason === 'string') heard.end = candidate.finishReason;
    for (const part of ((candidate?.content as JsonObject | undefined)?.parts ?? []) as JsonObject[]) {
      const call = part.functionCall as JsonObject | undefined;
      if (call) heard.calls.push({ id: String(call.id ?? ''), name: String(call.name), args: call.args ?? {} });
      else if (part.thought) heard.thought += String(part.text ?? '');
      else heard.text += String(part.text ?? '');
    }
  }
  return heard;
}

function heardItems(response: JsonObject): Heard {
  const items = response.output as JsonObject[];
  const parts = (field: 'content' | 'summary', type: string) =>
    items.flatMap((item) => ((item[field] ?? []) as JsonObject[]).filter((part) => part.type === type));
  const calls = items.filter(({ type }) => type === 'function_call');
  const cut = (response.incomplete_details as { reason: string } | null)?.reason;
  return {
    text: parts('content', 'output_text')
      .map(({ text }) => text)
      .join(''),
    thought: parts('summary', 'summary_text')
      .map(({ text }) => text)
      .join(''),
    calls: calls.map(({ call_id: id, name, arguments: text }) => ({
      id: String(id),
      name: String(name),
      args: JSON.parse(String(text) || '{}'),
    })),
    end: cut ?? String(response.status),
    error: undefined,
  };
}

/** What was told piece by piece, held against what its end says of it. */
function heardResponse(text: string): Heard {
  const items: JsonObject[] = [];
  const pieces = new Map<string, string>();
  let ended: JsonObject | undefined;
  let error: string | undefined;
  for (const [at, event] of eventsIn(text).entries()) {
    if (event.type === 'error') {
      error = String(event.message);
      break;
    }
    expect(event.sequence_number, 'events are numbered in a row').to.equal(at);
    const place = `${event.output_index} ${event.content_index ?? event.summary_index ?? ''}`;
    if (event.type === 'response.output_item.added') expect(event.output_index).to.equal(items.push(event.item as JsonObject) - 1);
    else if (String(event.type).endsWith('.delta')) pieces.set(place, (pieces.get(place) ?? '') + String(event.delta));
    else if (/_(?:text|arguments)\.done$/.test(String(event.type))) {
      expect(event.text ?? event.arguments).to.equal(pieces.get(place) ?? '');
    } else if (event.type === 'response.output_item.done') items[event.output_index as number] = event.item as JsonObject;
    else if (event.type === 'response.completed' || event.type === 'response.incomplete') ended = event.response as JsonObject;
  }
  if (error === undefined) expect(ended?.output).to.deep.equal(items);
  if (ended !== undefined) return { ...heardItems(ended), error };
  return { ...nothing(), text: [...pieces.values()].join(''), error };
}

function eventsIn(text: string): JsonObject[] {
  const frames = new SseReader().push(Buffer.from(text));
  return frames.flatMap((frame) => {
    const json = frame.json();
    return typeof json === 'object' && json !== null ? [json as JsonObject] : [];
  });
}

const callers: Caller[] = [
  {
    route: messagesRoute,
    ends: { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' },
    whole: (answer) => heardBlocks(answer.content as JsonObject[], answer.stop_reason),
    streamed: heardEvents,
  },
  {
    route: generateRoute,
    ends: { stop: 'STOP', length: 'MAX_TOKENS', tool_calls: 'STOP', content_filter: 'SAFETY' },
    whole: (answer) => heardCandidates([answer]),
    streamed: (text) => heardCandidates(eventsIn(text)),
  },
  {
    route: responsesRoute,
    ends: { stop: 'completed', length: 'max_output_tokens', tool_calls: 'completed', content_filter: 'content_filter' },
    whole: heardItems,
    streamed: heardResponse,
  },
];

/** What a caller gets of a stream that arrives in pieces of `size`. */
function streamOf(
  { route }: Caller,
  type: number,
  { bytes, size, model }: { bytes: Buffer; size: number; model: string },
): { text: string; reading: StreamReading } {
  const dialect = dialectOf(type, 'chat', model);
  const reading = openStreamReading(dialect, { stamp });
  const words = route.writer(reading, { request: { model: 'm' }, sent: {}, isSame: dialect.speaks === route.dialect.name });
  const reader = (dialect.framing ?? serverSentEvents).open();
  let text = '';
  try {
    for (let at = 0; at < bytes.length; at += size) {
      for (const frame of reader.push(bytes.subarray(at, at + size))) text += words.frame(frame, reading.read(frame))?.toString() ?? '';
    }
    const last = reader.end();
    if (last !== undefined) text += words.frame(last, reading.read(last))?.toString() ?? '';
    text += words.end(reading.usage?.trusted ? reading.usage.usage : noUsage).toString();
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    text += route.dialect.errorEvent(toldError(error, { id: 'test', language: 'en' }));
  }
  return { text, reading };
}

function check(sample: WireSample, caller: Caller, heard: Heard): void {
  const wanted = sample.expect;
  if (wanted === undefined || wanted.kind === 'usage-decision') return;
  if (wanted.contentStartsWith !== undefined) expect(heard.text.startsWith(wanted.contentStartsWith)).to.equal(true);
  else expect(heard.text).to.equal(wanted.content ?? '');
  if (wanted.reasoning_content !== undefined) expect(heard.thought).to.equal(wanted.reasoning_content);
  if (typeof wanted.finish_reason === 'string') expect(heard.end).to.equal(caller.ends[wanted.finish_reason]);
  const calls = wanted.tool_calls ?? [];
  expect(heard.calls.map(({ name, args }) => ({ name, args }))).to.deep.equal(calls.map(({ name, arguments: args }) => ({ name, args })));
  for (const [at, { id }] of calls.entries()) if (id !== '*') expect(heard.calls[at]?.id).to.equal(id);
}

function isChat({ request: { path }, expect: wanted }: WireSample): boolean {
  return (wanted?.kind === 'chat' || wanted?.kind === 'stream-error') && !/embed|images|audio|rerank|files|billing/.test(path);
}

describe('recorded answers, for callers of other dialects', () => {
  for (const sample of wireSamples().filter(isChat)) {
    for (const type of sample.channelTypes) {
      const provider = providerOf(type);
      const model = modelOf(sample);
      const dialect = provider && spokenBy(provider, model).chat;
      if (dialect === undefined || sample.unspoken !== undefined) continue;
      for (const caller of callers) {
        const isSame = dialect.speaks === caller.route.dialect.name;
        it(`${sample.provider}/${sample.case} (type ${type}) is heard by callers of ${caller.route.dialect.name}`, () => {
          const bytes = wireBytes(sample.response.bodyFile);
          if (!/event-?stream/.test(sample.response.contentType)) {
            const whole = readWhole(dialect, bytes, { stamp, speaks: caller.route.dialect.name });
            const usage = whole.usage?.trusted ? whole.usage.usage : noUsage;
            const written = caller.route.whole(whole, usage, {});
            if (isSame && whole.usage !== undefined) expect(written).to.equal(bytes);
            return check(sample, caller, caller.whole(JSON.parse(written.toString()) as JsonObject));
          }
          for (const size of [1, 7, 64, bytes.length]) {
            const { text } = streamOf(caller, type, { bytes, size, model });
            const heard = caller.streamed(text);
            if (sample.expect?.kind !== 'stream-error') {
              expect(heard.error).to.equal(undefined);
              check(sample, caller, heard);
              if (isSame && dialect.framing === undefined) expect(text).to.equal(bytes.toString());
            } else {
              expect(heard.error).to.include(sample.expect.messageContains);
              expect(heard.text).to.equal(sample.expect.contentSoFar);
            }
          }
        });
      }
    }
  }
});

describe('recorded requests, there and back through the hub', () => {
  const [, gemini] = [14, 24];
  for (const { provider, case: name, request } of wireSamples()) {
    const type = { anthropic: 14, gemini: 24 }[provider];
    if (type === undefined || request.bodyFile === undefined || /embed|predict/.test(request.path)) continue;
    it(`${provider}/${name} says the same`, () => {
      const json = JSON.parse(wireBytes(request.bodyFile as string).toString()) as JsonObject;
      const model = type === gemini ? (/models\/([^:]+):/.exec(request.path)?.[1] ?? '') : String(json.model);
      const isStream = request.path.includes(':stream');
      const route = type === gemini ? generateRoute : messagesRoute;
      const sent = {
        bytes: Buffer.alloc(0),
        long: undefined,
        json: structuredClone(json),
        address: { model, isStream, isEventStream: isStream },
      };
      const hub = route.read(sent) as ChatRequest;
      const dialect = providerOf(type)?.chat;
      if (dialect === undefined || dialect.speaks === 'openai') throw new Error(`type ${type} speaks a dialect of its own`);
      expect(JSON.parse(JSON.stringify(dialect.encodeRequest(hub, targetOf(type, model))))).to.deep.equal(json);
    });
  }
});
