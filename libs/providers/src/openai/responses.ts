import type { JsonEdits } from '../json-bytes.ts';
import { effortOfName, levelFor } from '../model-rules.ts';
import { picked } from '../objects.ts';
import type { ChatTranslation, JsonObject, Target } from '../provider.ts';
import { openAiErrorIn } from './errors.ts';
import { collectedResponse, decodeResponse, decodeStream } from './responses-answer.ts';
import { carriedMark } from './responses-reasoning.ts';
import { raisedLimit, responsesRequest } from './responses-request.ts';
import type { ChatRequest } from './types.ts';
import { openAiUsageIn } from './usage.ts';

/** What a prompt is counted by. Source: https://platform.openai.com/docs/api-reference/responses/input-tokens */
const countedFields = [
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'text', 'reasoning', 'parallel_tool_calls', 'truncation'],
];

/**
 * OpenAI's Responses. Bodies and answers of callers who use it pass through; callers of other dialects are translated where a model answers
 * there alone, or takes tools there alone.
 * Source: https://platform.openai.com/docs/api-reference/responses
 */
export function responsesChat({ url, modelOf }: { url(target: Target): string; modelOf(target: Target): string }): ChatTranslation {
  return {
    speaks: 'responses',
    url: (_request, target) => url(target),
    modelOf,
    effortOf: ({ model }) => effortOfName(model),
    outputLimit: (request) => raisedLimit(request, {}),
    encodeRequest(request, target) {
      const limit = raisedLimit(request, target);
      const effort = levelFor(request, target.model);
      const limited = limit === undefined ? request : { ...request, max_tokens: limit, max_completion_tokens: undefined };
      return responsesRequest(limited, { model: modelOf(target), effort });
    },
    ownEdits: (own, call) => ownEdits(own, call, modelOf(call.target)),
    decodeResponse,
    decodeStream,
    collect: collectedResponse,
    usageIn: openAiUsageIn,
    errorIn: openAiErrorIn,
    counts: {
      url: (target) => `${url(target)}/input_tokens`,
      body: (sent) => picked(sent, countedFields),
      tokensIn: ({ input_tokens: tokens }) => tokens,
    },
  };
}

/** The model's name, the output limit under a cap, and that nothing is kept there: the account is not the caller's. */
function ownEdits(own: JsonObject, { request, target }: { request: ChatRequest; target: Target }, model: string): JsonEdits {
  const set: JsonObject = {};
  if (model !== own.model) set.model = model;
  if (own.store !== false) set.store = false;
  if (target.cap !== undefined) set.max_output_tokens = request.max_tokens;
  const effort = effortOfName(target.model);
  if (effort !== undefined) set.reasoning = { ...(own.reasoning as JsonObject | undefined), effort };
  const input = legibleInput(own.input);
  if (input !== undefined) set.input = input;
  return { set };
}

/** The items without reasoning that this provider cannot read: another's, or one that stands in no account of ours. */
function legibleInput(input: unknown): unknown[] | undefined {
  if (!Array.isArray(input) || !input.some(isIllegible)) return undefined;
  return input.filter((item) => !isIllegible(item));
}

function isIllegible(item: unknown): boolean {
  const { type, encrypted_content: sealed } = (item ?? {}) as JsonObject;
  return type === 'reasoning' && (typeof sealed !== 'string' || sealed === '' || sealed.startsWith(carriedMark));
}
