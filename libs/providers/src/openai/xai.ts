import type { JsonObject, UsageReading } from '../provider.ts';
import type { Differences } from './compatible.ts';
import { refuseFiles } from './file-parts.ts';
import { openAiUsageIn, toOpenAiUsage } from './usage.ts';

/** xAI: `completion_tokens` leaves reasoning out, and files are for its Responses alone. Source: https://docs.x.ai/docs/guides/files/chat-with-files */
export const xai: Differences = {
  chatEdits: (request) => {
    refuseFiles(request);
    return undefined;
  },
  usageIn: grokUsageIn,
  imagesEdits: () => ({ remove: ['size', 'quality', 'style'] }),
  repair: (answer) => {
    const reading = grokUsageIn(answer);
    return reading?.trusted ? { ...answer, usage: { ...(answer.usage as JsonObject), ...toOpenAiUsage(reading.usage) } } : answer;
  },
};

function grokUsageIn(answer: JsonObject): UsageReading | undefined {
  const usage = answer.usage as JsonObject | null | undefined;
  const { prompt_tokens: prompt, total_tokens: total } = usage ?? {};
  if (typeof prompt !== 'number' || typeof total !== 'number' || total <= prompt) return openAiUsageIn(answer);
  return openAiUsageIn({ ...answer, usage: { ...usage, completion_tokens: total - prompt } });
}
