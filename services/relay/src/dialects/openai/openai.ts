import type { ToldError } from '../../context/errors.ts';
import { bearerOf, type CallerDialect, given } from '../dialect.ts';

/** Who calls as OpenAI is called. */
export const openai: CallerDialect = {
  name: 'openai',
  endpoint: '/v1/chat/completions',
  credentials: ({ headers }) => given(bearerOf(headers.authorization), headers['api-key'], headers['x-api-key']),
  answerModel: { whole: ['model'], event: ['model'] },
  answerId: (callId) => `chatcmpl-${callId}`,
  errorBody,
  errorEvent: (error) => `data: ${errorBody(error)}\n\n`,
  heartbeat: ': ping\n\n',
  modelList: (models) => ({ object: 'list', data: models }),
  model: (model) => ({ ...model }),
};

function errorBody({ message, type, param, code, failedGeneration }: ToldError): string {
  return JSON.stringify({ error: { message, type, param, code, failed_generation: failedGeneration } });
}
