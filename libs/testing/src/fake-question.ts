import type { FakeDialect, FakeQuestion } from './fake-answers.ts';

/** What is asked, as far as it shapes an answer, in whichever dialect. */
export function questionOf(path: string, json: unknown): FakeQuestion {
  const request = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>;
  const dialect = dialectOf(path);
  const inPath = /(?:models?|deployments)\/([^:/?]+)/.exec(path)?.[1];
  const inputs = request.input ?? request.requests;
  return {
    dialect,
    model: typeof request.model === 'string' ? request.model : (inPath ?? ''),
    isStream: request.stream === true || path.includes(':streamGenerateContent'),
    wantsUsage: (request.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true,
    inputs: Array.isArray(inputs) ? inputs.length : 1,
    outputLimit: outputLimitOf(dialect, request),
  };
}

/** Infinity: it answers as long as it likes. OpenAI's reasoning models do not know the old field. */
function outputLimitOf(dialect: FakeDialect, request: Record<string, unknown>): number {
  const { model, max_tokens, max_completion_tokens, generationConfig } = request as Record<string, number | undefined>;
  let limit = max_completion_tokens ?? max_tokens;
  if (dialect === 'gemini') limit = (generationConfig as { maxOutputTokens?: number } | undefined)?.maxOutputTokens;
  else if (dialect === 'chat' && /^o\d/.test(String(model))) limit = max_completion_tokens;
  return typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
}

function dialectOf(path: string): FakeDialect {
  if (/mbedContent/.test(path)) return 'gemini-embeddings';
  if (path.includes('enerateContent')) return 'gemini';
  if (path.includes('/messages')) return 'anthropic';
  if (path.includes('/embeddings')) return 'embeddings';
  if (path.includes('/chat/completions')) return 'chat';
  if (path.includes('/completions')) return 'completions';
  return path.includes('/models') ? 'models' : 'chat';
}
