import { noUsage } from '@tollgate/contracts';
import { z } from 'zod';
import { errorIn } from '../gemini/response.ts';
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
export function embeddings(url: (target: Target) => string): Translation<EmbeddingsRequest, EmbeddingsResponse> {
  return {
    speaks: 'own',
    url: (_request, target) => url(target),
    encodeRequest: (request, { model }) => ({
      instances: embeddingTexts(request, model.startsWith('gemini-embedding') ? 1 : mostTexts).map((content) => ({ content })),
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
