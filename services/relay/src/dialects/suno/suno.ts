import type { CallerDialect } from '../dialect.ts';
import { openai } from '../openai/openai.ts';

/** Who calls as Suno-API is called. Source: https://github.com/Suno-API/Suno-API */
export const suno: CallerDialect = {
  ...openai,
  answerId: (callId) => callId,
  errorBody: ({ message, code }) => JSON.stringify({ code: String(code ?? 'invalid_request'), message, data: null }),
};
