import type { RerankRequest } from '../openai/media-types.ts';
import { rerankUsageIn } from '../openai/media-usage.ts';
import { joinUrl } from '../openai/url.ts';
import type { PassThrough } from '../provider.ts';
import { errorIn } from './response.ts';

/**
 * Jina's shape is Cohere's own; documents come back only when they are asked for, and what was paid is told as searches.
 * Source: https://docs.cohere.com/v1/reference/rerank
 */
export const rerank: PassThrough<RerankRequest> = {
  speaks: 'openai',
  answersAt: ['results'],
  streamUsage: 'always',
  url: (_request, target) => joinUrl(target.baseUrl, '/v1/rerank'),
  edits: ({ return_documents: wanted }) => (wanted === undefined || wanted === null ? { set: { return_documents: true } } : undefined),
  usageIn: rerankUsageIn,
  errorIn,
};
