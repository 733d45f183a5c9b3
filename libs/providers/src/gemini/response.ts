import { z } from 'zod';
import { errorFrom, statedError } from '../error-text.ts';
import { objectOf, objectsIn } from '../objects.ts';
import { chatChunk, chatResponse, endOf } from '../openai/chunk.ts';
import type { ChatChunk, ChatDelta, ChatResponse, FinishReason, ToolCall } from '../openai/types.ts';
import type { ChunkDecoder, JsonObject, Stamp, UsageReading } from '../provider.ts';
import { newsIn, read, unreadable } from '../read-answer-shape.ts';
import { fenced, toolOutput, type WithToolOutput } from '../tool-output.ts';
import { UpstreamError } from '../upstream-error.ts';
import { GroundedWords, grounding, notesOn } from './grounding.ts';
import { likelihoodsIn, logprobsResult } from './likelihoods.ts';
import { argumentPiece, PiecedArguments } from './pieced-arguments.ts';
import { readGeminiUsage, searchesOf } from './usage.ts';

const blob = z.object({ mimeType: z.string().nullish(), data: z.string().nullish() });
const functionCall = z.object({
  id: z.string().nullish(),
  name: z.string().nullish(),
  args: z.unknown().optional(),
  partialArgs: z.array(argumentPiece).nullish(),
  willContinue: z.boolean().nullish(),
});
const part = z.object({
  text: z.string().nullish(),
  thought: z.boolean().nullish(),
  thoughtSignature: z.string().nullish(),
  functionCall: functionCall.nullish(),
  executableCode: z.object({ language: z.string().nullish(), code: z.string().nullish() }).nullish(),
  codeExecutionResult: z.object({ output: z.string().nullish() }).nullish(),
  inlineData: blob.nullish(),
});
type Part = z.infer<typeof part>;
const candidate = z.object({
  content: z.object({ parts: z.array(part).nullish() }).nullish(),
  finishReason: z.string().nullish(),
  index: z.number().nullish(),
  logprobsResult,
  ...grounding,
});
const answer = z.object({
  candidates: z.array(candidate).nullish(),
  modelVersion: z.string().nullish(),
  responseId: z.string().nullish(),
  usageMetadata: z.unknown().optional(),
});

/** Source: https://ai.google.dev/api/generate-content#FinishReason */
const finishReasons: readonly (readonly [FinishReason, readonly string[]])[] = [
  ['stop', ['', 'STOP', 'FINISH_REASON_UNSPECIFIED']],
  ['length', ['MAX_TOKENS']],
  ['content_filter', ['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE', 'MODEL_ARMOR']],
  ['content_filter', ['IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION']],
  ['error', ['OTHER', 'MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MISSING_THOUGHT_SIGNATURE']],
  ['error', ['MALFORMED_RESPONSE']],
];
const meanings = new Map(finishReasons.flatMap(([meaning, reasons]) => reasons.map((reason) => [reason, meaning] as const)));

/** Reasons that a call which came all the same is no less an answer for. */
const besideCalls = new Set(['UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS']);

/** What ends for another reason, such as that nothing could be drawn, is an answer if it says anything. */
function finishReasonOf(reason: string, { hasSaid, hasCalls }: { hasSaid: boolean; hasCalls: boolean }): FinishReason {
  if (hasCalls && besideCalls.has(reason)) return 'stop';
  return meanings.get(reason) ?? (hasSaid ? 'stop' : 'error');
}

/** An error body, alone or in a list, or a prompt that Gemini refused with status 200. */
export function errorIn(body: JsonObject): UpstreamError | undefined {
  const stated = Array.isArray(body) ? (body[0] as JsonObject | undefined) : body;
  if (stated?.error) return errorFrom(statedError(stated), { status: 200 });
  const reason = (stated?.promptFeedback as JsonObject | null | undefined)?.blockReason;
  if (typeof reason !== 'string' || reason === '' || stated?.candidates) return undefined;
  return new UpstreamError({
    kind: 'content_filter',
    status: 400,
    message: `The prompt was blocked: ${reason}`,
    type: 'invalid_request_error',
    code: 'content_filter',
  });
}

/** A whole answer as OpenAI's. Throws: UpstreamError when it is none. */
export function decodeResponse(body: JsonObject, stamp: Stamp): ChatResponse {
  const { candidates, ...head } = read(answer, body);
  if (!candidates || candidates.length === 0) throw unreadable('no candidates');
  let calls = 0;
  return chatResponse(
    headOf(head, stamp),
    candidates.map(({ content, finishReason, ...rests }) => {
      const told = tell(content?.parts ?? [], { stamp, firstCall: calls });
      calls += told.toolCalls.length;
      return {
        ...told,
        extra: { ...carrying(told), ...annotated(notesOn(told.text, rests)), ...ranIn(told) },
        likelihoods: likelihoodsIn(rests.logprobsResult),
        toolCalls: told.toolCalls.map((call, index) => ({ ...call, index })),
        finishReason: finishReasonOf(finishReason ?? '', { hasSaid: says(told), hasCalls: told.toolCalls.length > 0 }),
      };
    }),
  );
}

/**
 * Gemini's events, each a whole answer with a part of the text, as chunks. Tool calls come whole, unless the request asked for their
 * arguments in pieces: then these are told at the call's end. It has no end mark: the answer is complete when every candidate has its reason.
 */
export function decodeStream(stamp: Stamp): ChunkDecoder {
  const callsOf = new Map<number, number>();
  const saying = new Set<number>();
  const finished = new Set<number>();
  /** The call of a candidate whose arguments are still coming. */
  const pieced = new Map<number, PiecedCall>();
  const words = new GroundedWords();
  let unchunked = 0;
  let searches = 0;
  let calls = 0;
  let usage: UsageReading | undefined;

  return {
    push(event) {
      const body = newsIn(event.data, errorIn, { isExact: true });
      if (body === undefined) return [];
      const { candidates, usageMetadata, ...head } = read(answer, body);
      searches = Math.max(searches, searchesOf(body));
      usage = readGeminiUsage(usageMetadata, searches) ?? usage;
      const chunks: ChatChunk[] = [];
      let isSilent = true;
      for (const { content, finishReason, index: stated, ...sources } of candidates ?? []) {
        const index = stated ?? 0;
        const isFirst = !callsOf.has(index);
        const before = callsOf.get(index) ?? 0;
        const parts = content?.parts ?? [];
        const ended = takePieces(parts, { pieced, index, before, isLast: Boolean(finishReason) });
        const told = tell(parts, { stamp, firstCall: calls });
        calls += told.toolCalls.length;
        callsOf.set(index, before + told.toolCalls.length);
        if (says(told)) saying.add(index);
        if (says(told) || told.reasoning !== '') isSilent = false;
        words.add(index, told.text, sources);
        const delta: ChatDelta = {
          ...(isFirst && { role: 'assistant' }),
          ...((told.text !== '' || isFirst) && { content: told.text }),
          ...(told.reasoning !== '' && { reasoning_content: told.reasoning }),
          ...(told.toolCalls.length + ended.length > 0 && {
            tool_calls: [...told.toolCalls.map((call, at) => ({ ...call, index: before + at })), ...ended],
          }),
          ...carrying(told),
          ...ranIn(told),
          ...(finishReason && annotated(words.notes(index))),
        };
        const likelihoods = likelihoodsIn(sources.logprobsResult);
        if (Object.keys(delta).length > 0 || likelihoods) chunks.push(chatChunk(headOf(head, stamp), delta, { index, likelihoods }));
        if (!finishReason) continue;
        finished.add(index);
        const hasCalls = (callsOf.get(index) ?? 0) > 0;
        const reason = endOf(finishReasonOf(finishReason, { hasSaid: saying.has(index), hasCalls }), hasCalls);
        chunks.push(chatChunk(headOf(head, stamp), {}, { index, finishReason: reason }));
      }
      if (isSilent && objectsIn(body.candidates).some(holdsParts)) unchunked += 1;
      return chunks;
    },
    get searches() {
      return searches;
    },
    get unchunked() {
      return unchunked;
    },
    get keptBytes() {
      return [...pieced.values()].reduce((sum, { args }) => sum + args.keptBytes, words.keptBytes);
    },
    get state() {
      return callsOf.size > 0 && finished.size === callsOf.size ? 'complete' : 'open';
    },
    get usage() {
      return usage;
    },
  };
}

/** Whether a candidate has a part with anything in it: a hosted tool's step, a signature, or what is not known yet. */
function holdsParts({ content }: JsonObject): boolean {
  const holds = ([name, value]: [string, unknown]) => name !== 'thought' && value !== '' && value !== null;
  return objectsIn(objectOf(content).parts).some((one) => Object.entries(one).some(holds));
}

interface PiecedCall {
  /** Its place among the calls of its candidate. */
  at: number;
  args: PiecedArguments;
}

/** Keeps what parts say of arguments that come in pieces; the arguments of calls that end with them. */
function takePieces(
  parts: readonly Part[],
  { pieced, index, before, isLast }: { pieced: Map<number, PiecedCall>; index: number; before: number; isLast: boolean },
): ToolCall[] {
  const ended: ToolCall[] = [];
  const end = () => {
    const open = pieced.get(index);
    if (open !== undefined) ended.push({ index: open.at, function: { arguments: open.args.text } });
    pieced.delete(index);
  };
  let at = before;
  for (const { functionCall: call } of parts) {
    if (!call) continue;
    if (call.name) {
      end();
      if (isPieced(call)) pieced.set(index, { at, args: new PiecedArguments() });
      at += 1;
    }
    pieced.get(index)?.args.add(call.partialArgs ?? []);
    if (!call.willContinue) end();
  }
  if (isLast) end();
  return ended;
}

function isPieced({ partialArgs, willContinue }: z.infer<typeof functionCall>): boolean {
  return willContinue === true || (partialArgs ?? []).length > 0;
}

interface Told {
  text: string;
  reasoning: string;
  toolCalls: ToolCall[];
  /** Those of its words that code has written that ran there. */
  ran: string;
  /** What its words carry: Gemini wants it back with the next question. */
  signature?: string;
}

function says({ text, toolCalls }: Told): boolean {
  return text !== '' || toolCalls.length > 0;
}

function ranIn({ ran }: Told): WithToolOutput {
  return ran === '' ? {} : { [toolOutput]: ran };
}

function annotated(annotations: JsonObject[]): { annotations?: JsonObject[] } {
  return annotations.length === 0 ? {} : { annotations };
}

/** As Google's own OpenAI-compatible API says it. */
function carrying({ signature }: Told): { extra_content?: JsonObject } | undefined {
  return signature === undefined ? undefined : { extra_content: { google: { thought_signature: signature } } };
}

/** What parts say, texts joined without separator. */
function tell(parts: Part[], options: { stamp: Stamp; firstCall: number }): Told {
  const told: Told = { text: '', reasoning: '', toolCalls: [], ran: '' };
  for (const one of parts) {
    if (one.thoughtSignature && !one.functionCall) told.signature = one.thoughtSignature;
    if (one.functionCall?.name) told.toolCalls.push(toToolCall(one, options.stamp, options.firstCall + told.toolCalls.length));
    else if (one.thought) told.reasoning += textOf(one);
    else told.text += textOf(one);
    if (one.codeExecutionResult && !one.thought) told.ran += textOf(one);
  }
  return told;
}

function textOf({ text, executableCode, codeExecutionResult, inlineData }: Part): string {
  if (text) return text;
  if (executableCode) return fenced((executableCode.language ?? '').toLowerCase(), executableCode.code ?? '');
  if (codeExecutionResult) return fenced('output', codeExecutionResult.output ?? '');
  return inlineData?.data ? linkTo(inlineData.mimeType ?? 'image/png', inlineData.data) : '';
}

/** What was drawn or spoken, as Markdown has it. */
function linkTo(mimeType: string, data: string): string {
  const name = mimeType.startsWith('audio/') ? '[audio]' : '![image]';
  return `${name}(data:${mimeType.replaceAll(' ', '')};base64,${data})`;
}

/** Gemini's calls have no ids, so one is made from the answer's own; callers send it back with the result. */
function toToolCall({ functionCall: call, thoughtSignature }: Part, stamp: Stamp, index: number): ToolCall {
  const seed = stamp.id.replace(/[^a-zA-Z0-9]/g, '').slice(-20);
  return {
    id: call?.id || `call_${seed.padStart(20, '0')}${String(index).padStart(4, '0')}`,
    type: 'function',
    function: { name: call?.name ?? '', arguments: call && isPieced(call) ? '' : JSON.stringify(call?.args ?? {}) },
    ...(thoughtSignature && { extra_content: { google: { thought_signature: thoughtSignature } } }),
  };
}

function headOf(head: { modelVersion?: string | null; responseId?: string | null }, stamp: Stamp): Stamp {
  return { ...stamp, id: head.responseId || stamp.id, model: head.modelVersion || stamp.model };
}
