import { noUsage, type Usage } from '@tollgate/contracts';
import {
  argumentsObject,
  type JsonObject,
  objectsIn,
  ReasoningDetails,
  type SseFrame,
  type StreamReading,
  thoughtIn,
  UpstreamError,
} from '@tollgate/providers';
import type { AnswerWriter } from '../../context/route.ts';
import { citedIn, foundFor, type Source } from '../sources.ts';
import { type CallPiece, CallPieces, drawnIn, textOf } from '../tool-calls.ts';
import { carryingBlocks, messageId, stopReasonOf, toAnthropicUsage, toCitation, withCalls } from './whole-message.ts';

interface OpenBlock {
  index: number;
  type: 'text' | 'thinking' | 'tool_use';
  /** Which call it is. */
  call: number | undefined;
  /** Of a call: its arguments so far. */
  args: string;
}

/** A call whose pieces came while another one was being told. */
interface HeldCall {
  blocks: CallBlocks;
  args: string;
}

/** The block of a call, and those that have to stand before it. */
interface CallBlocks {
  before: JsonObject[];
  block: JsonObject;
}

const mostHeld = 8 << 20;

/** Sets a block that comes whole apart from the texts around it. */
const noCall = -1;

/** Writes a stream as Anthropic's message events, one block after another. Source: https://docs.anthropic.com/en/api/messages-streaming */
export class EventWriter implements AnswerWriter {
  readonly #reading: StreamReading;
  #isBegun = false;
  #blocks = 0;
  #open: OpenBlock | undefined;
  readonly #details = new ReasoningDetails();
  readonly #calls = new CallPieces();
  readonly #endedCalls = new Set<number>();
  /** In the order in which they began: Anthropic tells one call after another. */
  readonly #heldCalls = new Map<number, HeldCall>();
  #heldLength = 0;
  #stopReason = 'end_turn';
  /** Nothing more comes: what is kept is told as it is. */
  #isLast = false;

  constructor(reading: StreamReading) {
    this.#reading = reading;
  }

  get keptBytes(): number {
    return (this.#open?.args.length ?? 0) + this.#heldLength + this.#details.keptBytes;
  }

  frame(_frame: SseFrame, chunks: readonly JsonObject[]): string | undefined {
    return this.chunks(chunks);
  }

  chunks(chunks: readonly JsonObject[]): string | undefined {
    let text = '';
    for (const chunk of chunks) {
      const { choices } = chunk;
      const [choice] = Array.isArray(choices) ? (choices as (JsonObject | null)[]) : [];
      if (typeof choice !== 'object' || choice === null) continue;
      if (!this.#isBegun) text += this.#begin();
      if (typeof choice.delta === 'object' && choice.delta !== null) text += this.#delta(choice.delta as JsonObject);
      if (!choice.finish_reason) continue;
      this.#stopReason = stopReasonOf(choice.finish_reason);
      text += this.#cite(foundFor(chunk));
    }
    return text === '' ? undefined : text;
  }

  #begin(): string {
    this.#isBegun = true;
    const { id, model } = this.#reading.head;
    const message = { id: messageId(id), type: 'message', role: 'assistant', model, content: [], stop_reason: null, stop_sequence: null };
    return eventOf({ type: 'message_start', message: { ...message, usage: toAnthropicUsage(noUsage) } });
  }

  #delta(delta: JsonObject): string {
    const reasoning = thoughtIn(delta);
    const said = (textOf(delta.content) || textOf(delta.refusal)) + drawnIn(delta.images);
    let text = '';
    if (reasoning !== '') {
      text += this.#in('thinking', { type: 'thinking', thinking: '', signature: '' });
      text += this.#piece({ type: 'thinking_delta', thinking: reasoning });
    }
    for (const signed of objectsIn(delta.thinking_blocks)) text += this.#sign(signed);
    this.#details.add(delta.reasoning_details);
    if (said !== '' || delta.tool_calls) text += this.#carry(this.#details.take());
    if (said !== '') {
      text += this.#in('text', { type: 'text', text: '' });
      text += this.#piece({ type: 'text_delta', text: said });
    }
    text += this.#cite(citedIn(delta));
    text += this.#carry(delta.extra_content);
    for (const piece of this.#calls.piecesIn(delta.tool_calls)) text += this.#toolCall(piece);
    return text;
  }

  #cite(sources: readonly Source[]): string {
    if (sources.length === 0) return '';
    const opening = this.#in('text', { type: 'text', text: '' });
    return opening + sources.map((source) => this.#piece({ type: 'citations_delta', citation: toCitation(source) })).join('');
  }

  /** The signature of the thinking that has just been told; thinking that only its own model can read is a block by itself. */
  #sign(signed: JsonObject): string {
    if (signed.type !== 'thinking') return this.#alone(signed);
    const opening = this.#open?.type === 'thinking' ? '' : this.#in('thinking', { type: 'thinking', thinking: '', signature: '' });
    return opening + this.#piece({ type: 'signature_delta', signature: signed.signature ?? '' }) + this.#close();
  }

  /** What its words carry. */
  #carry(extra: unknown): string {
    return carryingBlocks([], extra)
      .map((block) => this.#alone(block))
      .join('');
  }

  /** A block that comes whole. */
  #alone(block: JsonObject): string {
    return this.#in('text', block, noCall) + this.#close();
  }

  #toolCall({ key, id, name, args: fragment, call }: CallPiece): string {
    if (this.#endedCalls.has(key)) {
      if (fragment.trim() === '') return '';
      throw mixedCalls();
    }
    const blocks = { before: carryingBlocks([call]), block: { type: 'tool_use', id, name, input: {} } };
    const open = this.#open;
    if (open?.type === 'tool_use' && open.call !== key && !isWhole(open.args)) {
      this.#hold(key, blocks, fragment);
      return '';
    }
    const told = this.#tellCall(key, blocks, fragment);
    return this.#heldCalls.size > 0 && isWhole(this.#open?.args ?? '') ? told + this.#tellHeld() : told;
  }

  #tellCall(key: number, { before, block }: CallBlocks, fragment: string): string {
    const isOpen = this.#open?.type === 'tool_use' && this.#open.call === key;
    const carrying = isOpen ? '' : before.map((one) => this.#alone(one)).join('');
    const opening = carrying + this.#in('tool_use', block, key);
    if (fragment === '' || this.#open === undefined) return opening;
    const wasObject = beginsObject(this.#open.args);
    this.#open.args += fragment;
    if (!beginsObject(this.#open.args)) return opening; // it is told with its end
    return opening + this.#arguments(wasObject ? fragment : this.#open.args);
  }

  #arguments(json: string): string {
    return this.#piece({ type: 'input_json_delta', partial_json: json });
  }

  /** Keeps a piece until the call before it has ended. Throws: UpstreamError when it is too much to keep. */
  #hold(key: number, blocks: CallBlocks, fragment: string): void {
    const held = this.#heldCalls.get(key) ?? { blocks, args: '' };
    held.args += fragment;
    this.#heldLength += fragment.length;
    if (this.#heldLength > mostHeld) throw mixedCalls();
    this.#heldCalls.set(key, held);
  }

  /** Tells what was kept, up to a call that has not ended yet. */
  #tellHeld(): string {
    let text = '';
    for (const [key, { blocks, args }] of this.#heldCalls) {
      if (this.#open?.type === 'tool_use' && !isWhole(this.#open.args) && !this.#isLast) break;
      this.#heldCalls.delete(key);
      this.#heldLength -= args.length;
      text += this.#tellCall(key, blocks, args);
    }
    return text;
  }

  /** Opens a block, after the one before it, unless it is open. */
  #in(type: OpenBlock['type'], block: JsonObject, call?: number): string {
    if (this.#open?.type === type && this.#open.call === call) return '';
    const closing = this.#close();
    this.#open = { index: this.#blocks, type, call, args: '' };
    this.#blocks += 1;
    return closing + eventOf({ type: 'content_block_start', index: this.#open.index, content_block: block });
  }

  #piece(delta: JsonObject): string {
    return eventOf({ type: 'content_block_delta', index: this.#open?.index, delta });
  }

  #close(): string {
    if (this.#open === undefined) return '';
    const { index, call, args } = this.#open;
    if (call !== undefined && call !== noCall) this.#endedCalls.add(call);
    const kept = args.trim() === '' || beginsObject(args) ? '' : this.#arguments(JSON.stringify(argumentsObject(args)));
    this.#open = undefined;
    return kept + eventOf({ type: 'content_block_stop', index });
  }

  cut(): string {
    this.#stopReason = 'max_tokens';
    return '';
  }

  end(usage: Usage): string {
    const beginning = this.#isBegun ? '' : this.#begin();
    this.#isLast = true;
    const rest = this.#tellHeld() + this.#close() + this.#carry(this.#details.take());
    return beginning + rest + lastEvents(withCalls(this.#stopReason, this.#endedCalls.size > 0), usage);
  }
}

/** Where a stream ends: why, what it comes to, and that this was all. */
export function lastEvents(stopReason: string, usage: Usage): string {
  const delta = { stop_reason: stopReason, stop_sequence: null };
  return eventOf({ type: 'message_delta', delta, usage: toAnthropicUsage(usage) }) + stopEvent;
}

export function eventOf(event: JsonObject & { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

export const stopEvent = eventOf({ type: 'message_stop' });

/** Arguments may be anything that a model wrote; clients put an object together. */
function beginsObject(args: string): boolean {
  return args.trimStart().startsWith('{');
}

/** Whether a call's arguments have ended; one that has said none may yet. */
function isWhole(args: string): boolean {
  if (!args.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(args);
    return true;
  } catch {
    return false;
  }
}

/** Anthropic tells one call after another: pieces of one that has ended cannot be told any more. */
function mixedCalls(): UpstreamError {
  const message = 'The upstream provider mixed the pieces of several tool calls';
  return new UpstreamError({ kind: 'unreadable', status: 502, message, code: 'upstream_bad_answer' });
}
