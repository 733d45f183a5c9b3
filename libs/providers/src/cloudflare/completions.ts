import type { JsonEdits } from '../json-bytes.ts';
import type { CompletionRequest } from '../openai/types.ts';
import { openAiUsageIn } from '../openai/usage.ts';
import type { JsonObject, PassThrough, RepairContext } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';
import type { Place } from './media.ts';

/** Texts that are gone on with, on the route of the model itself. Source: https://developers.cloudflare.com/workers-ai/features/prompting/ */
export function completions({ run, errorIn }: Place): PassThrough<CompletionRequest> {
  return {
    speaks: 'openai',
    answersAt: ['choices'],
    streamUsage: 'none', // it comes unasked, with the last piece
    url: (_request, target) => run(target),
    edits,
    usageIn: (answer) => openAiUsageIn(resultOf(answer)),
    errorIn,
    repair,
  };
}

const unsupported = ['suffix', 'echo', 'logprobs'] as const;

function edits(request: CompletionRequest): JsonEdits {
  const prompt = Array.isArray(request.prompt) && request.prompt.length === 1 ? request.prompt[0] : request.prompt;
  if (typeof prompt !== 'string') throw new RequestRefused('This model takes one prompt a call, as text', 'prompt');
  for (const field of ['n', 'best_of']) {
    if ((request[field] ?? 1) !== 1) throw new RequestRefused('This model writes one text a call', field);
  }
  const asked = unsupported.find((field) => request[field]);
  if (asked !== undefined) throw new RequestRefused('This model does not offer it', asked);
  return { set: { prompt, stream: request.stream === true }, remove: ['model', 'n', 'best_of', ...unsupported] };
}

/** It says `response`, within `result` where the answer is whole; no reason for an end, which stands with the bill. */
function repair(answer: JsonObject, { stamp, isChunk }: RepairContext): JsonObject {
  const { response, usage } = resultOf(answer);
  if (typeof response !== 'string') return answer; // whoever reads it on will say what it is
  const isEnd = !isChunk || (usage !== undefined && usage !== null);
  const choice = { index: 0, text: response, logprobs: null, finish_reason: isEnd ? 'stop' : null };
  return { id: stamp.id, object: 'text_completion', created: stamp.createdSeconds, model: stamp.model, choices: [choice] };
}

function resultOf(answer: JsonObject): JsonObject {
  return (typeof answer.result === 'object' && answer.result !== null ? answer.result : answer) as JsonObject;
}
