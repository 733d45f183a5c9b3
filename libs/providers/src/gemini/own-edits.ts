import type { JsonEdits } from '../json-bytes.ts';
import { rulesOf } from '../model-rules.ts';
import { isObject, objectsIn } from '../objects.ts';
import { sealedMark } from '../openai/responses-reasoning.ts';
import type { ChatRequest, EmbeddingsRequest } from '../openai/types.ts';
import type { JsonObject, Target } from '../provider.ts';
import { modelName } from './model-url.ts';
import { takenEdits } from './own-rules.ts';
import { unknownSignature } from './request.ts';
import { thinkingConfig } from './thinking.ts';
import { tierFor } from './tiers.ts';

/**
 * What changes in a generateContent request that travels as it came: under a cap the output limit, and the part of it that may be
 * thought. The model stands in the address. Google's API takes each field under two names, so the other one is taken out.
 */
export function nativeEdits(own: JsonObject, { request, target }: { request: ChatRequest; target: Target }): JsonEdits {
  const sealed = withoutSealed(own.contents, target.withoutReasoning === true);
  const needsSignatures = rulesOf(modelName(target)).reasoning?.back === 'thought_signature';
  const contents = (needsSignatures ? withSignatures(sealed ?? own.contents) : undefined) ?? sealed;
  const { set: taken, changed } = takenEdits(own, request, modelName(target));
  const told = { ...(contents !== undefined && { contents }), ...taken };
  const remove = [
    ...(isTierLost(own, request) ? ['serviceTier', 'service_tier'] : []),
    ...(taken.generationConfig ? ['generation_config'] : []),
  ];
  if (target.cap === undefined) return { set: told, remove, changed };
  const {
    max_output_tokens: _limit,
    thinking_config: other,
    thinkingConfig: thinking = other,
    ...config
  } = (taken.generationConfig as JsonObject | undefined) ?? objectIn(own, 'generationConfig', 'generation_config');
  const set = {
    ...config,
    maxOutputTokens: request.max_tokens ?? request.max_completion_tokens ?? target.cap,
    thinkingConfig: cappedThought(thinking as JsonObject | undefined, target, target.cap),
  };
  return { set: { ...told, generationConfig: set }, remove: ['generation_config', ...remove], changed };
}

/** The provider does not know the tier that the request asks for, so it is not charged. */
function isTierLost({ serviceTier, service_tier: other = serviceTier }: JsonObject, { service_tier: asked }: ChatRequest): boolean {
  return asked === undefined && tierFor(other) !== undefined;
}

/** The contents without what their words carry for another provider; undefined where they carry none. */
function withoutSealed(contents: unknown, withoutReasoning: boolean): unknown {
  if (!Array.isArray(contents)) return undefined;
  const isSealed = ({ thoughtSignature, thought_signature: other = thoughtSignature }: JsonObject) =>
    typeof other === 'string' && (withoutReasoning || other.startsWith(sealedMark));
  const holds = (content: unknown) => isObject(content) && objectsIn(content.parts).some(isSealed);
  if (!contents.some(holds)) return undefined;
  return contents.map((content: JsonObject) => {
    if (!holds(content)) return content;
    const parts = objectsIn(content.parts).flatMap((part) => {
      if (!isSealed(part)) return [part];
      const { thoughtSignature: _sealed, thought_signature: _other, ...rest } = part;
      if (rest.functionCall !== undefined || rest.function_call !== undefined) return [{ ...rest, thoughtSignature: unknownSignature }];
      return rest.text === '' ? [] : [rest];
    });
    return { ...content, parts: parts.length > 0 ? parts : [{ text: '' }] };
  });
}

/**
 * The contents with the word for an unknown signature on the first call of each of the model's turns that has none: another model made it. Undefined
 * where all have one. Source: https://ai.google.dev/gemini-api/docs/thought-signatures
 */
function withSignatures(contents: unknown): JsonObject[] | undefined {
  if (!Array.isArray(contents)) return undefined;
  let changed: JsonObject[] | undefined;
  let hasCalled = false;
  for (const [at, content] of (contents as JsonObject[]).entries()) {
    if (content?.role !== 'model') {
      hasCalled = false;
      continue;
    }
    const parts = objectsIn(content.parts);
    const first = hasCalled ? undefined : parts.find(isCall);
    if (first === undefined) continue;
    hasCalled = true;
    if (first.thoughtSignature || first.thought_signature) continue;
    changed ??= [...(contents as JsonObject[])];
    changed[at] = { ...content, parts: parts.map((part) => (part === first ? { ...part, thoughtSignature: unknownSignature } : part)) };
  }
  return changed;
}

function isCall({ functionCall, function_call: other }: JsonObject): boolean {
  return functionCall !== undefined || other !== undefined;
}

/** A budget of thought within what the cap leaves to it; what the caller set lower stays. */
function cappedThought(own: JsonObject | undefined, target: Target, cap: number): JsonObject | undefined {
  const capped = thinkingConfig(modelName(target), undefined, cap);
  if (capped === undefined) return own;
  const { thinking_budget: other, thinkingBudget: wanted = other, ...rest } = own ?? {};
  const most = capped.thinkingBudget as number;
  return { ...rest, thinkingBudget: typeof wanted === 'number' && wanted >= 0 ? Math.min(wanted, most) : most };
}

function objectIn(own: JsonObject, name: string, otherName: string): JsonObject {
  return (own[name] ?? own[otherName] ?? {}) as JsonObject;
}

/** The model's name, which stands in each request of a batch, too. */
export function ownEmbeddingEdits(own: JsonObject, { target }: { request: EmbeddingsRequest; target: Target }): JsonEdits {
  const model = `models/${modelName(target)}`;
  const isNamedOtherwise = (request: JsonObject) => request.model !== undefined && request.model !== model;
  if (!Array.isArray(own.requests)) return isNamedOtherwise(own) ? { set: { model } } : {};
  const requests = own.requests as JsonObject[];
  return requests.every((request) => request.model === model)
    ? {}
    : { set: { requests: requests.map((request) => ({ ...request, model })) } };
}
