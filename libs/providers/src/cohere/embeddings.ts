import { z } from 'zod';
import { embeddingList, embeddingTexts } from '../openai/embedding-texts.ts';
import type { EmbeddingsRequest, EmbeddingsResponse } from '../openai/types.ts';
import { joinUrl } from '../openai/url.ts';
import type { JsonObject, Translation } from '../provider.ts';
import { read } from '../read-answer-shape.ts';
import { errorIn } from './response.ts';
import { readCohereUsage } from './usage.ts';

const mostTexts = 96; // of one call
const embedded = z.object({ embeddings: z.object({ float: z.array(z.array(z.number())) }) });

/** Source: https://docs.cohere.com/reference/embed. A caller may say what the texts are for in `input_type`. */
export const embeddings: Translation<EmbeddingsRequest, EmbeddingsResponse> = {
  speaks: 'own',
  url: (_request, target) => joinUrl(target.baseUrl, '/v2/embed'),
  encodeRequest: (request, target) => ({
    model: target.model,
    texts: embeddingTexts(request, mostTexts),
    input_type: typeof request.input_type === 'string' ? request.input_type : 'search_document',
    embedding_types: ['float'],
    output_dimension: request.dimensions ?? undefined,
  }),
  decodeResponse: (body, stamp) => embeddingList(read(embedded, body).embeddings.float, stamp.model),
  usageIn: (answer) => readCohereUsage(answer.meta as JsonObject | null | undefined),
  errorIn,
};
