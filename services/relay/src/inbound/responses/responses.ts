import type { ToldError } from '../../answer/told-error.ts';
import type { CallerDialect } from '../dialect.ts';
import { openai } from '../openai/openai.ts';

/** What everybody else's callers say in `messages` stands in these callers' `input`. */
function inTheirWords(error: ToldError): ToldError {
  return error.param === 'messages' ? { ...error, param: 'input' } : error;
}

/** Who calls OpenAI's Responses. Source: https://platform.openai.com/docs/api-reference/responses-streaming/error */
export const responses: CallerDialect = {
  ...openai,
  name: 'responses',
  answerId: (callId) => `resp_${callId}`,
  errorBody: (error) => openai.errorBody(inTheirWords(error)),
  errorEvent(error) {
    const { code, message, param } = inTheirWords(error);
    return `event: error\ndata: ${JSON.stringify({ type: 'error', code, message, param })}\n\n`;
  },
};
