import { errorFrom, statedError } from '../error-text.ts';
import { parseExact } from '../exact-json.ts';
import { isObject, objectOf } from '../objects.ts';
import { type CitedPage, urlCitation } from '../openai/annotations.ts';
import { chatChunk, chatResponse, endOf } from '../openai/chunk.ts';
import type { ChatChunk, ChatResponse, FinishReason, ToolCall } from '../openai/types.ts';
import type { ChunkDecoder, JsonObject, Stamp, UsageReading } from '../provider.ts';
import { read } from '../read-answer-shape.ts';
import { toolOutput, type WithToolOutput } from '../tool-output.ts';
import type { UpstreamError } from '../upstream-error.ts';
import { fetchedPages, isToolResult, isToolRun, toolResult, toolRun } from './ran-tools.ts';
import {
  type ContentBlock,
  contentBlockDelta,
  contentBlockStart,
  contentBlockStop,
  message,
  messageDelta,
  messageStart,
} from './schema.ts';
import { mergedUsage, readAnthropicUsage } from './usage.ts';

const finishReasons = new Map<string | null | undefined, FinishReason>([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
]);

function finishReasonOf(stopReason: string | null | undefined): FinishReason {
  return finishReasons.get(stopReason) ?? 'stop';
}

/** A whole message as a chat answer. Source: https://docs.anthropic.com/en/api/messages */
export function decodeResponse(body: JsonObject, stamp: Stamp): ChatResponse {
  const { id, model, content, stop_reason } = read(message, body);
  const head = { ...stamp, id: id || stamp.id, model: model || stamp.model };
  const thinking = content.filter((block) => block.type === 'thinking');
  const signed = content.filter(isSigned).map(toThinkingBlock);
  const words = content.map(wordsOf);
  const annotations = notesOf(content, words);
  const ran = words.filter((_, at) => isToolResult(content[at]?.type ?? '')).join('');
  return chatResponse(head, [
    {
      text: words.join(''),
      reasoning: thinking.map((block) => block.thinking ?? '').join(''),
      toolCalls: content.filter((block) => block.type === 'tool_use').map(toToolCall),
      finishReason: finishReasonOf(stop_reason),
      extra: {
        ...(signed.length > 0 && { thinking_blocks: signed }),
        ...(annotations.length > 0 && { annotations }),
        ...(ran !== '' && { [toolOutput]: ran }),
      },
    },
  ]);
}

/** What a block says in words: its own, or those of a tool that ran at Anthropic. */
function wordsOf(block: ContentBlock): string {
  if (block.type === 'text') return block.text ?? '';
  return isToolRun(block.type) ? toolRun(block.name ?? '', block.input) : toolResult(block.type, block.content);
}

function toToolCall(block: ContentBlock, index: number): ToolCall {
  return {
    index,
    id: block.id ?? '',
    type: 'function',
    function: { name: block.name ?? '', arguments: JSON.stringify(block.input ?? {}) },
  };
}

/** What a caller has to send back with tool results: Anthropic checks the signature, and what only it can read. */
function isSigned({ type, signature, data }: ContentBlock): boolean {
  return type === 'thinking' ? Boolean(signature) : type === 'redacted_thinking' && Boolean(data);
}

function toThinkingBlock({ type, thinking, signature, data }: ContentBlock): JsonObject {
  return type === 'redacted_thinking' ? { type, data } : { type: 'thinking', thinking: thinking ?? '', signature: signature ?? '' };
}

/** The pages that words rest on: those of a block on all of its words, and those that were fetched where that was. */
function notesOf(content: readonly ContentBlock[], words: readonly string[]): JsonObject[] {
  let end = 0;
  return content.flatMap((block, at) => {
    const start = end;
    end += words[at]?.length ?? 0;
    const pages = block.type === 'text' ? pagesIn(block.citations) : fetchedPages(block.type, block.content);
    return pages.map((page) => urlCitation(page, [start, end]));
  });
}

/** Of what else can be cited, documents of the request, nothing can be said in the words of others. Source: https://docs.anthropic.com/en/api/messages */
function pagesIn(citations: unknown): CitedPage[] {
  const list = Array.isArray(citations) ? citations.map(objectOf) : [];
  return list.flatMap(({ url, title, cited_text: content }) =>
    typeof url === 'string'
      ? [{ url, title: typeof title === 'string' ? title : null, content: typeof content === 'string' ? content : null }]
      : [],
  );
}

/** An error event, or an error body that came with status 200. */
export function errorIn(answer: JsonObject): UpstreamError | undefined {
  return answer.type === 'error' ? errorFrom(statedError(answer), { status: 200 }) : undefined;
}

/** What a block takes beside its texts, about. */
const blockBytes = 500;

interface OpenBlock {
  /** Among the tool calls, not among the blocks. */
  toolIndex?: number;
  hasArguments: boolean;
  input: unknown;
  /** A tool that runs at Anthropic, and what it is given, as far as that has come. */
  run?: { name: string; json: string };
  thinking: string;
  signature: string;
  /** Where its words begin, in characters, and what they rest on. */
  start: number;
  pages: CitedPage[];
  /** What it takes, about. */
  bytes: number;
}

/**
 * Anthropic's message events as OpenAI chat chunks. A tool without arguments gets `{}`, thinking comes as `reasoning_content`
 * and, once signed, as a `thinking_blocks` entry that the caller may send back.
 * Throws: UpstreamError on an `error` event, and on a known event of unknown shape.
 * Source: https://docs.anthropic.com/en/api/messages-streaming
 */
export function decodeStream(stamp: Stamp): ChunkDecoder {
  let head = stamp;
  let startUsage: JsonObject | null | undefined;
  let usage: UsageReading | undefined;
  let state: ChunkDecoder['state'] = 'open';
  let toolCalls = 0;
  let hasSaid = false;
  let unchunked = 0;
  let searches = 0;
  /** How many characters have been said. */
  let said = 0;
  const blocks = new Map<number, OpenBlock>();
  /** In the blocks that are open. */
  let keptBytes = 0;

  const keep = (open: OpenBlock, bytes: number) => {
    open.bytes += bytes;
    keptBytes += bytes;
  };
  const say = (text: string, more?: WithToolOutput) => {
    said += text.length;
    return [chatChunk(head, { content: text, ...more })];
  };

  const handlers: Record<string, (data: unknown) => ChatChunk[]> = {
    message_start(data) {
      const start = read(messageStart, data).message;
      head = { ...stamp, id: start.id || stamp.id, model: start.model || stamp.model };
      startUsage = start.usage;
      usage = readAnthropicUsage(startUsage);
      return [chatChunk(head, { role: 'assistant', content: '' })];
    },
    content_block_start(data) {
      const { index, content_block: block } = read(contentBlockStart, data);
      const pages = pagesIn(block.citations);
      const open: OpenBlock = { hasArguments: false, input: block.input, thinking: '', signature: '', start: said, pages, bytes: 0 };
      blocks.set(index, open);
      hasSaid = true;
      keep(open, blockBytes);
      if (block.type === 'text' && block.text) return say(block.text);
      if (block.type === 'server_tool_use' && block.name === 'web_search') searches += 1;
      if (isToolRun(block.type)) open.run = { name: block.name ?? '', json: '' };
      const ran = toolResult(block.type, block.content);
      if (ran !== '') return say(ran, { [toolOutput]: ran });
      const fetched = fetchedPages(block.type, block.content);
      if (fetched.length > 0) return [chatChunk(head, { annotations: fetched.map((page) => urlCitation(page, [said, said])) })];
      if (block.type === 'redacted_thinking' && block.data) return [chatChunk(head, { thinking_blocks: [toThinkingBlock(block)] })];
      if (block.type !== 'tool_use') return [];
      open.toolIndex = toolCalls;
      toolCalls += 1;
      const call = { index: open.toolIndex, id: block.id ?? '', type: 'function', function: { name: block.name ?? '', arguments: '' } };
      return [chatChunk(head, { tool_calls: [call] })];
    },
    content_block_delta(data) {
      const { index, delta } = read(contentBlockDelta, data);
      const open = blocks.get(index);
      if (delta.type === 'text_delta' && delta.text) return say(delta.text);
      if (delta.type === 'citations_delta' && open !== undefined) {
        for (const page of pagesIn([delta.citation])) {
          open.pages.push(page);
          keep(open, page.url.length + (page.title?.length ?? 0) + (page.content?.length ?? 0));
        }
      }
      if (delta.type === 'thinking_delta' && delta.thinking) {
        if (open !== undefined) {
          open.thinking += delta.thinking;
          keep(open, delta.thinking.length);
        }
        return [chatChunk(head, { reasoning_content: delta.thinking })];
      }
      if (delta.type === 'signature_delta' && open !== undefined) {
        open.signature += delta.signature ?? '';
        keep(open, delta.signature?.length ?? 0);
      }
      if (delta.type === 'input_json_delta' && open?.run !== undefined) {
        open.run.json += delta.partial_json ?? '';
        keep(open, delta.partial_json?.length ?? 0);
      }
      if (delta.type !== 'input_json_delta' || !delta.partial_json || open?.toolIndex === undefined) return [];
      open.hasArguments = true;
      return [chatChunk(head, { tool_calls: [{ index: open.toolIndex, function: { arguments: delta.partial_json } }] })];
    },
    content_block_stop(data) {
      const { index } = read(contentBlockStop, data);
      const open = blocks.get(index);
      blocks.delete(index);
      if (open === undefined) return [];
      keptBytes -= open.bytes;
      if (open.signature !== '') return [chatChunk(head, { thinking_blocks: [toThinkingBlock({ type: 'thinking', ...open })] })];
      if (open.pages.length > 0) return [chatChunk(head, { annotations: open.pages.map((page) => urlCitation(page, [open.start, said])) })];
      if (open.run !== undefined) {
        const { name, json } = open.run;
        const run = toolRun(name, json.trim() === '' ? open.input : (parse(json) ?? json));
        return run === '' ? [] : say(run);
      }
      if (open.toolIndex === undefined || open.hasArguments) return [];
      return [chatChunk(head, { tool_calls: [{ index: open.toolIndex, function: { arguments: JSON.stringify(open.input ?? {}) } }] })];
    },
    message_delta(data) {
      const { delta, usage: stated } = read(messageDelta, data);
      if (stated) usage = readAnthropicUsage(mergedUsage(startUsage, stated));
      if (!delta.stop_reason) return [];
      state = 'complete';
      return [chatChunk(head, {}, { finishReason: endOf(finishReasonOf(delta.stop_reason), toolCalls > 0) })];
    },
    message_stop() {
      const isUntold = hasSaid && state === 'open'; // why, is not said by all who speak this dialect
      state = 'ended';
      return isUntold ? [chatChunk(head, {}, { finishReason: endOf('stop', toolCalls > 0) })] : [];
    },
    error(data) {
      throw errorFrom(statedError(data), { status: 200 });
    },
  };

  return {
    push(event) {
      const data = parse(event.data);
      const type = typeof data?.type === 'string' ? data.type : event.event;
      // Any other event (ping, what may come) carries no news for an OpenAI caller.
      const chunks = Object.hasOwn(handlers, type) ? (handlers[type]?.(data) ?? []) : [];
      if (isObject(data) && hasUnchunked(type, data)) unchunked += 1;
      return chunks;
    },
    get searches() {
      return searches;
    },
    get unchunked() {
      return unchunked;
    },
    get state() {
      return state;
    },
    get usage() {
      return usage;
    },
    get keptBytes() {
      return keptBytes;
    },
  };
}

/** Blocks that begin empty: their content comes in deltas of its own, which chunks hold. */
const emptyAtFirst = new Set<unknown>(['text', 'thinking', 'tool_use']);
const chunkedDeltas = new Set<unknown>(['text_delta', 'thinking_delta', 'input_json_delta']);

/** Whether an event has content that no chunk counts: a step of a hosted tool, a sealed thought, or what is not known yet. */
function hasUnchunked(type: string, { content_block: block, delta }: JsonObject): boolean {
  if (type === 'content_block_start') return !emptyAtFirst.has(objectOf(block).type);
  return type === 'content_block_delta' && !chunkedDeltas.has(objectOf(delta).type);
}

function parse(data: string): JsonObject | undefined {
  try {
    return parseExact(data) as JsonObject;
  } catch {
    return undefined; // an event that is no JSON is none of those we know
  }
}
