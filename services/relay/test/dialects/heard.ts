import { type JsonObject, SseReader } from '@tollgate/providers';
import { expect } from 'chai';
import type { RelayRoute } from '../../src/context/route.ts';
import { messagesRoute } from '../../src/dialects/anthropic/anthropic.ts';
import { generateRoute } from '../../src/dialects/gemini/gemini.ts';
import { unpacked, unsealedThinking } from '../../src/dialects/opaque-state.ts';
import { chatRoute } from '../../src/dialects/openai/routes.ts';
import { responsesRoute } from '../../src/dialects/responses/responses.ts';

/** What a caller makes of an answer, whatever dialect it came in. */
export interface Heard {
  text: string;
  thought: string;
  calls: { id: string; name: string; args: unknown }[];
  end: string | undefined;
  error: string | undefined;
  /** Of thoughts, and of calls. */
  signatures: string[];
  /** What came first: thoughts, words, calls. */
  order: string[];
  /** All tokens, as he is told of them. */
  usage: { input: number; output: number } | undefined;
}

export interface Caller {
  route: RelayRoute;
  /** The words for `stop`, `length`, `tool_calls` and `content_filter`. */
  ends: Record<string, string>;
  whole(answer: JsonObject): Heard;
  streamed(text: string): Heard;
}

const nothing = (): Heard => ({
  text: '',
  thought: '',
  calls: [],
  end: undefined,
  error: undefined,
  signatures: [],
  order: [],
  usage: undefined,
});

const sum = (...counts: unknown[]) => counts.reduce<number>((all, count) => all + (typeof count === 'number' ? count : 0), 0);

/** Each kind once, as it came first. */
function orderOf(kinds: readonly (string | undefined)[]): string[] {
  return [...new Set(kinds.filter((kind) => kind !== undefined))];
}

/** What of a turn is carried in blocks or items that only we can read. */
function carriedSignatures(sealed: unknown): string[] {
  const { thinking = [], calls = {} } = typeof sealed === 'string' ? (unpacked(sealed) ?? {}) : {};
  const ofCalls = Object.values(calls).map(({ google }) => (google as JsonObject | undefined)?.thought_signature);
  return [...thinking.map(({ signature }) => signature), ...ofCalls].filter((one): one is string => typeof one === 'string');
}

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
    signatures: blocks.flatMap(({ signature, data }) => (signature ? [String(signature)] : carriedSignatures(data))),
    order: orderOf(blocks.map(({ type }) => blockKinds.get(type))),
    usage: undefined,
  };
}

const blockKinds = new Map<unknown, string>([
  ['thinking', 'thought'],
  ['text', 'words'],
  ['tool_use', 'calls'],
]);

function heardEvents(text: string): Heard {
  const blocks: JsonObject[] = [];
  const args: string[] = [];
  let open: number | undefined;
  let end: unknown;
  let error: string | undefined;
  let usage: Heard['usage'];
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
      else if (delta.type === 'signature_delta') block.signature = String(block.signature) + String(delta.signature);
    } else if (event.type === 'message_start') usage = messageUsage((event.message as JsonObject).usage, usage);
    else if (event.type === 'message_delta') {
      end = delta.stop_reason;
      usage = messageUsage(event.usage, usage);
    } else if (event.type === 'error') error = String((event.error as JsonObject).message);
  }
  return { ...heardBlocks(blocks, end), error, usage };
}

/** What the last event says, over what the first one said. */
function messageUsage(stated: unknown, before: Heard['usage']): Heard['usage'] {
  const usage = (stated ?? {}) as JsonObject;
  const input = sum(usage.input_tokens, usage.cache_creation_input_tokens, usage.cache_read_input_tokens);
  return { input: input || (before?.input ?? 0), output: sum(usage.output_tokens) };
}

function heardCandidates(answers: readonly JsonObject[]): Heard {
  const heard = nothing();
  for (const answer of answers) {
    if (answer.error) heard.error = String((answer.error as JsonObject).message);
    const counts = answer.usageMetadata as JsonObject | undefined;
    if (counts) {
      heard.usage = { input: sum(counts.promptTokenCount), output: sum(counts.candidatesTokenCount, counts.thoughtsTokenCount) };
    }
    const [candidate] = (answer.candidates ?? []) as JsonObject[];
    if (typeof candidate?.finishReason === 'string') heard.end = candidate.finishReason;
    for (const part of ((candidate?.content as JsonObject | undefined)?.parts ?? []) as JsonObject[]) {
      const call = part.functionCall as JsonObject | undefined;
      if (typeof part.thoughtSignature === 'string')
        heard.signatures.push(part.thought === true ? String(unsealedThinking(part.thoughtSignature).signature) : part.thoughtSignature);
      if (call || part.text) heard.order = orderOf([...heard.order, candidateKind(part)]);
      if (call) heard.calls.push({ id: String(call.id ?? ''), name: String(call.name), args: call.args ?? {} });
      else if (part.thought) heard.thought += String(part.text ?? '');
      else heard.text += String(part.text ?? '');
    }
  }
  return heard;
}

function candidateKind({ functionCall: call, thought }: JsonObject): string {
  if (call) return 'calls';
  return thought ? 'thought' : 'words';
}

function heardItems(response: JsonObject): Heard {
  const items = response.output as JsonObject[];
  const parts = (field: 'content' | 'summary', type: string) =>
    items.flatMap((item) => ((item[field] ?? []) as JsonObject[]).filter((part) => part.type === type));
  const calls = items.filter(({ type }) => type === 'function_call');
  const counts = response.usage as JsonObject | null | undefined;
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
    signatures: items.flatMap(({ encrypted_content: sealed }) => carriedSignatures(sealed)),
    order: orderOf(items.map(itemKind)),
    usage: counts ? { input: sum(counts.input_tokens), output: sum(counts.output_tokens) } : undefined,
  };
}

function itemKind({ type, summary }: JsonObject): string | undefined {
  if (type === 'reasoning') return (summary as unknown[]).length > 0 ? 'thought' : undefined;
  return type === 'message' ? 'words' : 'calls';
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

function heardChunks(chunks: readonly JsonObject[]): Heard {
  const heard = nothing();
  const args: string[] = [];
  for (const chunk of chunks) {
    if (chunk.error) heard.error = String((chunk.error as JsonObject).message);
    const counts = chunk.usage as JsonObject | null | undefined;
    if (counts) heard.usage = { input: sum(counts.prompt_tokens), output: sum(counts.completion_tokens) };
    const [choice] = (chunk.choices ?? []) as JsonObject[];
    const piece = (choice?.delta ?? choice?.message ?? {}) as JsonObject;
    heard.text += String(piece.content ?? '');
    heard.thought += String(piece.reasoning_content ?? '');
    heard.end = (choice?.finish_reason as string | null | undefined) ?? heard.end;
    const calls = (piece.tool_calls ?? []) as JsonObject[];
    const kinds = [piece.reasoning_content && 'thought', piece.content && 'words', calls.length > 0 && 'calls'];
    heard.order = orderOf([...heard.order, ...kinds.map((kind) => (kind ? String(kind) : undefined))]);
    for (const { signature } of (piece.thinking_blocks ?? []) as JsonObject[]) heard.signatures.push(String(signature));
    for (const [at, { index = at, id, function: called, extra_content: extra }] of calls.entries()) {
      const place = index as number;
      const { name, arguments: text } = called as JsonObject;
      heard.calls[place] ??= { id: String(id), name: String(name), args: undefined };
      args[place] = (args[place] ?? '') + String(text ?? '');
      const signature = ((extra as JsonObject | undefined)?.google as JsonObject | undefined)?.thought_signature;
      if (typeof signature === 'string') heard.signatures.push(signature);
    }
  }
  for (const [at, call] of heard.calls.entries()) call.args = JSON.parse(args[at] || '{}');
  return heard;
}

function eventsIn(text: string): JsonObject[] {
  const frames = [...new SseReader().push(Buffer.from(text))];
  return frames.flatMap((frame) => {
    const json = frame.json();
    return typeof json === 'object' && json !== null ? [json as JsonObject] : [];
  });
}

export const callers: Caller[] = [
  {
    route: chatRoute,
    ends: { stop: 'stop', length: 'length', tool_calls: 'tool_calls', content_filter: 'content_filter' },
    whole: (answer) => heardChunks([answer]),
    streamed: (text) => heardChunks(eventsIn(text)),
  },
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
