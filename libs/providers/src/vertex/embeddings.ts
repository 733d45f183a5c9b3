import { noUsage } from '@tollgate/contracts';
import { z } from 'zod';
import { embeddings as geminiEmbeddings } from '../gemini/embeddings.ts';
import { errorIn } from '../gemini/response.ts';
import { rulesOf } from '../model-rules.ts';
import { embeddingList, embeddingTexts } from '../openai/embedding-texts.ts';
import type { EmbeddingsRequest, EmbeddingsResponse } from '../openai/types.ts';
import type { Target, Translation } from '../provider.ts';
import { read } from '../read-answer-shape.ts';
import { usageReading } from '../usage-reading.ts';

const mostTexts = 250;
const predictions = z.object({
  predictions: z.array(
    z.object({
      embeddings: z.object({ values: z.array(z.number()), statistics: z.object({ token_count: z.number().nullish() }).nullish() }),
    }),
  ),
});

/** Source: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
function predicted(url: (target: Target) => string): Translation<EmbeddingsRequest, EmbeddingsResponse> {
  return {
    speaks: 'own',
    url: (_request, target) => url(target),
    encodeRequest: (request, { model }) => ({
      instances: embeddingTexts(request, rulesOf(model).mostEmbeddings ?? mostTexts).map((content) => ({ content })),
      parameters: typeof request.dimensions === 'number' ? { outputDimensionality: request.dimensions } : undefined,
    }),
    decodeResponse: (body, stamp) =>
      embeddingList(
        read(predictions, body).predictions.map(({ embeddings: { values } }) => values),
        stamp.model,
      ),
    usageIn: (answer) => {
      const told = predictions.safeParse(answer);
      if (!told.success) return undefined;
      return usageReading((count) => ({
        ...noUsage,
        textInput: told.data.predictions.reduce((sum, one) => sum + count('token_count', one.embeddings.statistics?.token_count), 0),
      }));
    },
    errorIn,
  };
}

export type EmbeddingMethod = 'predict' | 'embedContent';

/** Which method answers for an embedding model: older ones have `predict`, others `embedContent`, for one content a call. */
export function embeddingMethodOf(model: string): EmbeddingMethod {
  return rulesOf(model).method === 'embedContent' ? 'embedContent' : 'predict';
}

/** How embeddings are asked for by each method, at the address that `url` makes of it. */
export function embeddingsBy(
  url: (target: Target, method: EmbeddingMethod) => string,
): Record<EmbeddingMethod, Translation<EmbeddingsRequest, EmbeddingsResponse>> {
  return {
    predict: predicted((target) => url(target, 'predict')),
    embedContent: {
      ...geminiEmbeddings,
      url(request, target) {
        embeddingTexts(request, 1);
        return url(target, 'embedContent');
      },
      nativeEdits: ({ model }) => ({ remove: model === undefined ? [] : ['model'] }), // the path names it
    },
  };
}
