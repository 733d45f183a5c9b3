import { z } from 'zod';
import { errorFrom, statedError } from '../error-text.ts';
import { chatChunk, chatResponse, endOf } from '../openai/chunk.ts';
import type { ChatChunk, ChatResponse, FinishReason } from '../openai/types.ts';
import type { ChunkDecoder, JsonObject, Stamp, UsageReading } from '../provider.ts';
import { newsIn, read } from '../read-answer-shape.ts';
import type { UpstreamError } from '../upstream-error.ts';
import { readCohereUsage } from './usage.ts';

const block = z.object({ type: z.string().nullish(), text: z.string().nullish(), thinking: z.string().nullish() });
const call = z.object({
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
const whole = z.object({
  id: z.string().nullish(),
  message: z.object({ content: z.array(block).nullish(), tool_plan: z.string().nullish(), tool_calls: z.array(call).nullish() }),
  finish_reason: z.string().nullish(),
});
const piece = z.object({
  type: z.string().nullish(),
  id: z.string().nullish(),
  index: z.number().nullish(),
  delta: z
    .object({
      finish_reason: z.string().nullish(),
      error: z.string().nullish(),
      usage: z.unknown().optional(),
      message: z
        .object({
          content: z.union([block, z.array(z.unknown())]).nullish(),
          tool_plan: z.string().nullish(),
          tool_calls: z.union([call, z.array(z.unknown())]).nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

const finishReasons = new Map<string | null | undefined, FinishReason>([
  ['MAX_TOKENS', 'length'],
  ['TOOL_CALL', 'tool_calls'],
  ['ERROR_TOXIC', 'content_filter'],
]);

/** What an answer that was given up ends with, and its status. */
const failures = new Map<string | null | undefined, number>([
  ['ERROR', 500],
  ['TIMEOUT', 504],
]);

/** Throws: UpstreamError when the answer was given up: what there is of it is no answer. */
function finishReasonOf(reason: string | null | undefined, words?: string | null): FinishReason {
  const status = failures.get(reason);
  if (status === undefined) return finishReasons.get(reason) ?? 'stop';
  throw errorFrom(statedError({ message: words || 'The upstream provider gave its answer up' }), { status });
}

/** A whole answer. What it thinks, and what it plans to do with tools, is reasoning. */
export function decodeResponse(body: JsonObject, stamp: Stamp): ChatResponse {
  const { id, message, finish_reason } = read(whole, body);
  const blocks = message.content ?? [];
  return chatResponse({ ...stamp, id: id || stamp.id }, [
    {
      text: blocks.map(({ text }) => text ?? '').join(''),
      reasoning: blocks.map(({ thinking }) => thinking ?? '').join('') + (message.tool_plan ?? ''),
      toolCalls: (message.tool_calls ?? []).map((one, index) => ({
        index,
        id: one.id ?? '',
        type: 'function',
        function: { name: one.function?.name ?? '', arguments: argumentsOf(one.function?.arguments) || '{}' },
      })),
      finishReason: finishReasonOf(finish_reason),
    },
  ]);
}

/** A tool without arguments has `null` for them. */
function argumentsOf(stated: string | null | undefined): string {
  return stated?.trim() === 'null' ? '' : (stated ?? '');
}

/** An error that came with status 200 is a bare `message`, without an answer. */
export function errorIn(body: JsonObject): UpstreamError | undefined {
  return typeof body.message === 'string' ? errorFrom(statedError(body), { status: 200 }) : undefined;
}

/** What an open call takes, about. */
const callBytes = 200;

/** Cohere's events, told apart by `type`. A call's arguments come in pieces, and not at all when it has none. */
export function decodeStream(stamp: Stamp): ChunkDecoder {
  let head = stamp;
  let state: ChunkDecoder['state'] = 'open';
  let usage: UsageReading | undefined;
  let calls = 0;
  /** Those whose arguments are still coming, by their own numbers. */
  const open = new Map<number, { index: number; hasArguments: boolean }>();

  function tellCall(at: number, one: z.infer<typeof call>): ChatChunk[] {
    const { name, arguments: stated } = one.function ?? {};
    const text = argumentsOf(stated);
    const index = calls;
    calls += 1;
    open.set(at, { index, hasArguments: Boolean(text) });
    const started = { index, id: one.id ?? '', type: 'function', function: { name: name ?? '', arguments: text } };
    return [chatChunk(head, { tool_calls: [started] })];
  }

  function tellArguments(at: number, text: string | null | undefined): ChatChunk[] {
    const its = open.get(at);
    if (!text || its === undefined || (!its.hasArguments && argumentsOf(text) === '')) return [];
    its.hasArguments = true;
    return [chatChunk(head, { tool_calls: [{ index: its.index, function: { arguments: text } }] })];
  }

  function endCall(at: number): ChatChunk[] {
    const told = open.get(at)?.hasArguments === false ? tellArguments(at, '{}') : [];
    open.delete(at);
    return told;
  }

  return {
    push(event) {
      const body = newsIn(event.data, errorIn);
      if (body === undefined) return [];
      const { type, id, index, delta } = read(piece, body);
      const at = index ?? 0;
      const { content, tool_plan: plan, tool_calls: told } = delta?.message ?? {};
      const toolCall = Array.isArray(told) ? undefined : told;
      if (type === 'message-start') {
        head = { ...stamp, id: id || stamp.id };
        return [chatChunk(head, { role: 'assistant', content: '' })];
      }
      if (type === 'content-start' || type === 'content-delta') {
        const { text, thinking } = Array.isArray(content) ? {} : (content ?? {});
        if (thinking) return [chatChunk(head, { reasoning_content: thinking })];
        return text ? [chatChunk(head, { content: text })] : [];
      }
      if (type === 'tool-plan-delta') return plan ? [chatChunk(head, { reasoning_content: plan })] : [];
      if (type === 'tool-call-start' && toolCall) return tellCall(at, toolCall);
      if (type === 'tool-call-delta') return tellArguments(at, toolCall?.function?.arguments);
      if (type === 'tool-call-end') return endCall(at);
      if (type !== 'message-end') return [];
      usage = readCohereUsage(delta?.usage) ?? usage;
      const reason = finishReasonOf(delta?.finish_reason, delta?.error);
      state = 'ended';
      return [chatChunk(head, {}, { finishReason: endOf(reason, calls > 0) })];
    },
    get state() {
      return state;
    },
    get usage() {
      return usage;
    },
    get keptBytes() {
      return open.size * callBytes;
    },
  };
}
