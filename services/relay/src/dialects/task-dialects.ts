import type { ToldError } from '../context/errors.ts';
import { bearerOf, type CallerDialect, given } from './dialect.ts';
import { openai } from './openai/openai.ts';

/** Who calls as midjourney-proxy is called. Source: https://github.com/novicezk/midjourney-proxy */
export const midjourney: CallerDialect = {
  ...openai,
  credentials({ headers }) {
    const secret = headers['mj-api-secret'];
    return given(bearerOf(headers.authorization), typeof secret === 'string' ? bearerOf(secret) : undefined);
  },
  answerId: (callId) => callId,
  errorBody,
};

/** In its own words, and in those that the product family uses for what happens before a channel is asked. */
function errorBody({ status, message, type, code }: ToldError): string {
  return JSON.stringify({ code: codeOf(status, code), description: message, type, error: { message, type, code } });
}

/** 3 nobody draws, 4 the request is wrong, 5 anything else, 23 too much at once, 24 a banned word. */
function codeOf(status: number, code: ToldError['code']): number {
  if (code === 'no_available_channel' || code === 'model_not_found') return 3;
  if (code === 'sensitive_words_detected') return 24;
  if (status === 429) return 23;
  return status < 500 ? 4 : 5;
}

/** Who calls as Suno-API is called. Source: https://github.com/Suno-API/Suno-API */
export const suno: CallerDialect = {
  ...openai,
  answerId: (callId) => callId,
  errorBody: ({ message, code }) => JSON.stringify({ code: String(code ?? 'invalid_request'), message, data: null }),
};
