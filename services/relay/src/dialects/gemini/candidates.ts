import { cachedTokensOf, completionTokensOf, promptTokensOf, type Usage } from '@tollgate/contracts';
import { argumentsObject, carriedDetails, type JsonObject, objectsIn, patchJson, thoughtIn, type WholeReading } from '@tollgate/providers';
import { carriedByWords, sealedThinking, sealedWords } from '../opaque-state.ts';
import { citedIn, foundFor, type Source } from '../sources.ts';
import { picturesIn, type StatedToolCall, textOf, toolCallsIn } from '../tool-calls.ts';

const finishReasons = new Map<unknown, string>([
  ['length', 'MAX_TOKENS'],
  ['content_filter', 'SAFETY'],
]);

export function finishReasonOf(finishReason: unknown): string {
  return finishReasons.get(finishReason) ?? 'STOP';
}

/** A whole answer as generateContent gives it; a provider's own travels as it came, with what is charged as its usage. */
export function wholeContent({ body, stated, answer, head, usage }: WholeReading, charged: Usage): Buffer {
  if (body !== undefined) {
    const isStated = usage?.trusted === true && usage.usage === charged;
    return isStated ? body : patchJson(body, { set: { usageMetadata: correctedUsage(stated.usageMetadata, charged) } });
  }
  const choices = answer.choices as JsonObject[];
  return Buffer.from(
    JSON.stringify({
      candidates: choices.map(({ message, finish_reason: reason, logprobs }, index) => ({
        content: { role: 'model', parts: partsOf((message ?? {}) as JsonObject) },
        finishReason: finishReasonOf(reason),
        ...logprobsResultOf({ logprobs }),
        ...groundingOf([...citedIn((message ?? {}) as JsonObject), ...foundFor(answer)]),
        index,
      })),
      usageMetadata: toGeminiUsage(charged),
      modelVersion: head.model,
      responseId: head.id,
    }),
  );
}

/** What a last event says: as Google does, an empty text where all is said. Their client drops the turn of an answer in which an event says nothing. */
export function lastContent(calls: JsonObject[] = [], carried?: JsonObject): { role: 'model'; parts: JsonObject[] } {
  const parts = partsOf({ tool_calls: calls, extra_content: carried });
  return { role: 'model', parts: parts.length > 0 ? parts : [{ text: '' }] };
}

/** The pages that a candidate rests on. Source: https://ai.google.dev/gemini-api/docs/google-search */
export function groundingOf(sources: readonly Source[]): { groundingMetadata?: JsonObject } {
  if (sources.length === 0) return {};
  const pages = new Map(sources.map(({ url, title }) => [url, { web: { uri: url, title: title ?? url } }]));
  return { groundingMetadata: { groundingChunks: [...pages.values()] } };
}

/** What a message, or a piece of one, says: thoughts, then words, then calls. */
export function partsOf(piece: JsonObject): JsonObject[] {
  const thought = thoughtIn(piece);
  const said = textOf(piece.content) || textOf(piece.refusal);
  const carried = signatureOf({ extra_content: carriedByWords(piece) });
  const signed = objectsIn(piece.thinking_blocks).filter((block) => typeof block.signature === 'string' || typeof block.data === 'string');
  return [
    ...thoughtParts(thought, signed),
    ...(said === '' && carried === undefined ? [] : [{ text: said, ...(carried !== undefined && { thoughtSignature: carried }) }]),
    ...picturesIn(piece.images).map(toPicture),
    ...toolCallsIn(piece.tool_calls).map(toFunctionCall),
  ];
}

function toPicture(url: string): JsonObject {
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mimeType === undefined ? { fileData: { mimeType: 'image/png', fileUri: url } } : { inlineData: { mimeType, data } };
}

/** What words or a call carry: Google's own, or what others want back. */
/** Thinking as it was told, each block that is signed or sealed as a part of its own where there are several. */
function thoughtParts(thought: string, signed: readonly JsonObject[]): JsonObject[] {
  const [first] = signed;
  if (first === undefined) return thought === '' ? [] : [{ text: thought, thought: true }];
  if (signed.length === 1) return [{ text: thought, thought: true, thoughtSignature: sealedThinking(first) }];
  return signed.map((block) => ({
    text: typeof block.thinking === 'string' ? block.thinking : '',
    thought: true,
    thoughtSignature: sealedThinking(block),
  }));
}

function signatureOf({ extra_content: extra }: JsonObject): string | undefined {
  if (carriedDetails(extra).length > 0) return sealedWords(extra as JsonObject);
  const signature = (extra as { google?: { thought_signature?: unknown } } | null | undefined)?.google?.thought_signature;
  return typeof signature === 'string' ? signature : undefined;
}

function toFunctionCall({ id, name, args, call }: StatedToolCall): JsonObject {
  const signature = signatureOf(call);
  return { functionCall: { id, name, args: argumentsObject(args) }, ...(signature !== undefined && { thoughtSignature: signature }) };
}

/** How likely the words of a choice, or of a piece of one, were, as Gemini tells it. Source: https://ai.google.dev/api/generate-content#LogprobsResult */
export function logprobsResultOf({ logprobs }: JsonObject): { logprobsResult?: JsonObject } {
  const told = objectsIn((logprobs as JsonObject | null | undefined)?.content);
  if (told.length === 0) return {};
  return {
    logprobsResult: {
      chosenCandidates: told.map(toCandidate),
      topCandidates: told.map(({ top_logprobs: others }) => ({ candidates: objectsIn(others).map(toCandidate) })),
    },
  };
}

function toCandidate({ token, logprob }: JsonObject): JsonObject {
  return { token, logProbability: logprob };
}

/** Our classes in Gemini's words: thoughts stand beside what the candidates say, what was cached is part of the prompt. */
export function toGeminiUsage(usage: Usage): JsonObject {
  const promptTokenCount = promptTokensOf(usage);
  const cachedContentTokenCount = cachedTokensOf(usage);
  const candidatesTokenCount = completionTokensOf(usage) - usage.reasoningOutput;
  const heard = { AUDIO: usage.audioInput + (usage.cachedAudio ?? 0), IMAGE: usage.imageInput + (usage.cachedImage ?? 0) };
  return {
    promptTokenCount,
    candidatesTokenCount,
    ...(usage.reasoningOutput > 0 && { thoughtsTokenCount: usage.reasoningOutput }),
    ...(cachedContentTokenCount > 0 && { cachedContentTokenCount }),
    totalTokenCount: promptTokenCount + candidatesTokenCount + usage.reasoningOutput,
    ...byKind('promptTokensDetails', heard, promptTokenCount),
    ...byKind('candidatesTokensDetails', { AUDIO: usage.audioOutput, IMAGE: usage.imageOutput ?? 0 }, candidatesTokenCount),
  };
}

/** The same in the place of what a provider states otherwise. What its tools read stays beside the prompt's count, as it states it. */
export function correctedUsage(stated: unknown, charged: Usage): JsonObject {
  const before = typeof stated === 'object' && stated !== null ? (stated as JsonObject) : {};
  const usage = toGeminiUsage(charged);
  const { toolUsePromptTokenCount: read } = before;
  const all = usage.promptTokenCount as number;
  const toolUse = typeof read === 'number' && read >= 0 && read <= all ? read : 0;
  return { ...before, ...usage, promptTokenCount: all - toolUse, ...(read !== undefined && { toolUsePromptTokenCount: toolUse }) };
}

/** How many of all were no text, and how many that leaves to it; nothing where all were. */
function byKind(name: string, counts: Record<string, number>, all: number): JsonObject {
  const others = Object.entries(counts).filter(([, tokenCount]) => tokenCount > 0);
  if (others.length === 0) return {};
  const text = others.reduce((left, [, tokenCount]) => left - tokenCount, all);
  return { [name]: [['TEXT', text] as const, ...others].map(([modality, tokenCount]) => ({ modality, tokenCount })) };
}
