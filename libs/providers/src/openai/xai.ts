import type { JsonEdits } from '../json-bytes.ts';
import type { JsonObject, Target, UsageReading } from '../provider.ts';
import type { Differences } from './compatible.ts';
import { refuseFiles } from './file-parts.ts';
import type { ChatRequest } from './types.ts';
import { openAiUsageIn, readOpenAiUsage, toOpenAiUsage } from './usage.ts';

/** xAI: an effort may be appended to the small reasoning models' names, and `completion_tokens` leaves reasoning out. */
export const xai: Differences = {
  modelOf: ({ model }) => (isGrokMini(model) ? model.replace(grokEffort, '') : model),
  effortOf,
  chatEdits: grokEdits,
  usageIn: grokUsageIn,
  imagesEdits: () => ({ remove: ['size', 'quality', 'style'] }),
  repair: (answer) => {
    const reading = grokUsageIn(answer);
    return reading?.trusted ? { ...answer, usage: { ...(answer.usage as JsonObject), ...toOpenAiUsage(reading.usage) } } : answer;
  },
};

const grokEffort = /-(high|medium|low)$/;

function isGrokMini(model: string): boolean {
  return model.startsWith('grok-3-mini');
}

function effortOf({ model }: Pick<Target, 'model'>): string | undefined {
  return isGrokMini(model) ? grokEffort.exec(model)?.[1] : undefined;
}

/** Files are for its Responses alone. Source: https://docs.x.ai/docs/guides/files/chat-with-files */
function grokEdits(request: ChatRequest, target: Target): JsonEdits | undefined {
  refuseFiles(request);
  if (!isGrokMini(target.model)) return undefined;
  return {
    set: {
      reasoning_effort: effortOf(target),
      max_completion_tokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    },
    remove: ['max_tokens'],
  };
}

function grokUsageIn(answer: JsonObject): UsageReading | undefined {
  const usage = answer.usage as JsonObject | null | undefined;
  const { prompt_tokens: prompt, total_tokens: total } = usage ?? {};
  if (typeof prompt !== 'number' || typeof total !== 'number' || total <= prompt) return openAiUsageIn(answer);
  return readOpenAiUsage({ ...usage, completion_tokens: total - prompt });
}
