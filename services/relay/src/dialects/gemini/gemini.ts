import type { ToldError } from '../../response/client-error.ts';
import { bearerOf, given } from '../credentials.ts';
import type { CallerDialect } from '../dialect.ts';
import { pageOf, toModel } from './model-pages.ts';

/** Who calls as Google's Gemini API is called. Source: https://ai.google.dev/api */
export const gemini: CallerDialect = {
  name: 'gemini',
  endpoint: '/v1beta/models/{model}:generateContent',
  credentials({ headers }, query) {
    const asked = query === undefined ? undefined : new URLSearchParams(query).get('key');
    return given(headers['x-goog-api-key'], asked, bearerOf(headers.authorization));
  },
  answerModel: { whole: ['modelVersion'], event: ['modelVersion'] },
  answerId: (callId) => callId,
  errorBody,
  errorEvent: (error) => `data: ${errorBody(error)}\r\n\r\n`,
  heartbeat: ': ping\n\n',
  modelList: pageOf,
  model: toModel,
};

/** Its streams are JSON arrays. */
export const geminiArrays: CallerDialect = { ...gemini, streamsArrays: true };

const statuses = new Map([
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [501, 'UNIMPLEMENTED'],
  [504, 'DEADLINE_EXCEEDED'],
]);

/** When to come back stands in the body: https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto */
function errorBody({ status, message, code: reason, retryAfterSeconds, failedGeneration }: ToldError): string {
  const word = statuses.get(status) ?? (status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE');
  const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` };
  const errorInfo = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, metadata: { failed_generation: failedGeneration } };
  const infos = [
    ...(status === 429 && retryAfterSeconds !== undefined ? [retryInfo] : []),
    ...(failedGeneration === undefined ? [] : [errorInfo]),
  ];
  const details = infos.length > 0 ? infos : undefined;
  return JSON.stringify({ error: { code: status, message, status: word, details } });
}
