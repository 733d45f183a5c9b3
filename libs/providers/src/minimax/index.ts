import type { ChannelTypeInfo } from '@tollgate/contracts';
import { errorFrom } from '../error-text.ts';
import { withChangedPieces } from '../openai/changed-pieces.ts';
import { openaiCompatible } from '../openai/compatible.ts';
import { openAiErrorIn } from '../openai/errors.ts';
import { openAiUsageIn } from '../openai/usage.ts';
import type { JsonObject, Provider, RepairContext, UsageReading } from '../provider.ts';
import type { UpstreamError } from '../upstream-error.ts';
import { speech } from './speech.ts';

/** MiniMax: OpenAI's bodies on one route, errors with status 200, and a last event that says everything once more. */
export function minimax(info: ChannelTypeInfo): Provider {
  const provider = openaiCompatible(info, {
    url: ({ target }) => `${target.baseUrl}/v1/text/chatcompletion_v2`,
    errorIn,
    usageIn,
    repair,
    models: false,
  });
  return { ...provider, speech: speech(errorIn) };
}

/** What its own codes mean as a status. Source: https://platform.minimax.io/docs/api-reference/errorcode */
const statusOfCode = new Map([
  [1001, 504],
  [1002, 429],
  [1004, 401],
  [1008, 402],
  [1013, 500],
  [1026, 400],
  [1027, 400],
  [1039, 429],
  [2013, 400],
  [2049, 401],
]);

function errorIn(answer: JsonObject): UpstreamError | undefined {
  const { status_code: code, status_msg: message } = (answer.base_resp ?? {}) as JsonObject;
  if (typeof code !== 'number' || code === 0) return openAiErrorIn(answer);
  const words = typeof message === 'string' ? message : undefined;
  return errorFrom({ message: words, type: undefined, param: undefined, code }, { status: statusOfCode.get(code) ?? 500 });
}

/** Older models tell a total alone, which does not say what was output: then we count. */
function usageIn(answer: JsonObject): UsageReading | undefined {
  const usage = answer.usage as JsonObject | null | undefined;
  return usage?.prompt_tokens === undefined && usage?.completion_tokens === undefined ? undefined : openAiUsageIn(answer);
}

/** The whole text of the last event has been told already. */
function repair(answer: JsonObject, { isChunk }: RepairContext): JsonObject {
  if (!isChunk || answer.object !== 'chat.completion' || !Array.isArray(answer.choices)) return answer;
  const told = withChangedPieces(
    answer,
    (piece) => piece,
    ({ message: _told, ...choice }) => ({ ...choice, delta: {} }),
  );
  return { ...told, object: 'chat.completion.chunk' };
}
