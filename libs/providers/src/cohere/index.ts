import type { ChannelTypeInfo } from '@tollgate/contracts';
import { readError } from '../error-text.ts';
import { memberOf, modelNames } from '../model-names.ts';
import { bearer } from '../openai/compatible.ts';
import { joinUrl } from '../openai/url.ts';
import type { Provider } from '../provider.ts';
import { embeddings } from './embeddings.ts';
import { encodeRequest } from './request.ts';
import { rerank } from './rerank.ts';
import { decodeResponse, decodeStream, errorIn } from './response.ts';
import { readCohereUsage } from './usage.ts';

/** Cohere's API in its second version. Source: https://docs.cohere.com/reference/chat */
export function cohere(info: ChannelTypeInfo): Provider {
  return {
    baseUrl: info.defaultBaseUrl,
    headers: bearer,
    error: readError,
    chat: {
      speaks: 'own',
      url: (_request, target) => joinUrl(target.baseUrl, '/v2/chat'),
      says: new Set(['temperature', 'top_p', 'top_k', 'seed', 'frequency_penalty', 'presence_penalty']),
      encodeRequest,
      decodeResponse,
      decodeStream,
      usageIn: (answer) => readCohereUsage(answer.usage),
      errorIn,
    },
    embeddings,
    rerank,
    models: {
      url: (target) => joinUrl(target.baseUrl, '/v1/models?page_size=1000'),
      decode: (body) => modelNames(memberOf(body, 'models'), 'name'),
    },
  };
}
