import type { ToldError } from '../../answer/told-error.ts';
import type { CallerDialect } from '../dialect.ts';
import { openai } from '../openai/openai.ts';

/** Who calls OpenAI's Responses. Source: https://platform.openai.com/docs/api-reference/responses-streaming/error */
export const responses: CallerDialect = {
  ...openai,
  name: 'responses',
  answerId: (callId) => `resp_${callId}`,
  errorEvent: ({ code, message, param }: ToldError) =>
    `event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param: param ?? null })}\n\n`,
};
