import type { Usage } from '@tollgate/contracts';
import { argumentsObject, carriedDetails, type JsonObject, patchJson, thoughtIn, type WholeReading } from '@tollgate/providers';
import { objectsIn, picturesIn, textOf } from '../content.ts';
import { carriedByWords, sealedWords } from '../opaque-state.ts';
import { citedIn, foundFor, type Source } from '../sources.ts';
import { type ToldCall, toldCalls } from '../tool-calls.ts';
import { logprobsResultOf } from './likelihoods.ts';
import { correctedUsage, toGeminiUsage } from './usage.ts';

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
  const signed = objectsIn(piece.thinking_blocks).filter((block) => typeof block.signature === 'string');
  return [
    ...(thought === '' ? [] : [{ text: thought, thought: true, ...(signed.length === 1 && { thoughtSignature: signed[0]?.signature }) }]),
    ...(thought === '' ? signed.map(({ signature }) => ({ text: '', thought: true, thoughtSignature: signature })) : []),
    ...(said === '' && carried === undefined ? [] : [{ text: said, ...(carried !== undefined && { thoughtSignature: carried }) }]),
    ...picturesIn(piece.images).map(toPicture),
    ...toldCalls(piece.tool_calls).map(toFunctionCall),
  ];
}

function toPicture(url: string): JsonObject {
  const [, mimeType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mimeType === undefined ? { fileData: { mimeType: 'image/png', fileUri: url } } : { inlineData: { mimeType, data } };
}

/** What words or a call carry: Google's own, or what others want back. */
function signatureOf({ extra_content: extra }: JsonObject): string | undefined {
  if (carriedDetails(extra).length > 0) return sealedWords(extra as JsonObject);
  const signature = (extra as { google?: { thought_signature?: unknown } } | null | undefined)?.google?.thought_signature;
  return typeof signature === 'string' ? signature : undefined;
}

function toFunctionCall({ id, name, args, call }: ToldCall): JsonObject {
  const signature = signatureOf(call);
  return { functionCall: { id, name, args: argumentsObject(args) }, ...(signature !== undefined && { thoughtSignature: signature }) };
}
