import { noUsage } from '@tollgate/contracts';
import { z } from 'zod';
import { embeddings as geminiEmbeddings } from '../gemini/embeddings.ts';
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
function predicted(url: (target: Target) => string): Translation<EmbeddingsRequest, EmbeddingsResponse> {
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

/**
 * Which method answers for an embedding model: the first pattern that its name matches, a `*` standing for any ending. Older models have
 * `predict`, gemini-embedding-2 and later ones `embedContent`, for one content a call.
 * Source: https://github.com/googleapis/python-genai (`t_is_vertex_embed_content_model`), read on 2026-11-26
 */
const methods: readonly (readonly [pattern: string, method: 'predict' | 'embedContent'])[] = [
  ['gemini-embedding-001', 'predict'],
  ['gemini*', 'embedContent'],
  ['*', 'predict'],
];

export type EmbeddingMethod = (typeof methods)[number][1];

/** Which method answers for a model, with or without `models/` before its name. */
export function embeddingMethodOf(model: string): EmbeddingMethod {
  const name = model.replace(/^models\//, '');
  return methods.find(([pattern]) => matches(name, pattern))?.[1] ?? 'predict';
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
      ownEdits: ({ model }) => ({ remove: model === undefined ? [] : ['model'] }), // the path names it
    },
  };
}

function matches(model: string, pattern: string): boolean {
  return pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern;
}
