import { embeddingList, embeddingTexts } from '../openai/embedding-texts.ts';
import type { EmbeddingsRequest, EmbeddingsResponse } from '../openai/types.ts';
import type { JsonObject, Stamp, Target, Translation } from '../provider.ts';
import { unreadable } from '../read-answer-shape.ts';
import { modelName, modelUrl } from './model-url.ts';
import { ownEmbeddingEdits } from './own-edits.ts';
import { errorIn } from './response.ts';
import { readGeminiUsage } from './usage.ts';

const mostTexts = 100; // of one batch call

/** One text or many. gemini-embedding-2 states its usage, older models do not. Source: https://ai.google.dev/api/embeddings */
export const embeddings: Translation<EmbeddingsRequest, EmbeddingsResponse> = {
  speaks: 'gemini',
  url: (request, target) => modelUrl(target, embeddingTexts(request, mostTexts).length === 1 ? 'embedContent' : 'batchEmbedContents'),
  encodeRequest,
  nativeEdits: ownEmbeddingEdits,
  decodeResponse,
  usageIn: ({ usageMetadata }) => readGeminiUsage(usageMetadata),
  errorIn,
};

function encodeRequest(request: EmbeddingsRequest, target: Target): JsonObject {
  const outputDimensionality = request.dimensions ?? undefined;
  const requests = embeddingTexts(request, mostTexts).map((text) => ({
    content: { parts: [{ text }] },
    ...(outputDimensionality !== undefined && { outputDimensionality }),
  }));
  const [only] = requests;
  if (requests.length === 1 && only !== undefined) return only;
  return { requests: requests.map((one) => ({ model: `models/${modelName(target)}`, ...one })) };
}

function decodeResponse(body: JsonObject, stamp: Stamp): EmbeddingsResponse {
  const embeddings = (Array.isArray(body.embeddings) ? body.embeddings : [body.embedding]) as ({ values?: unknown } | null | undefined)[];
  return embeddingList(embeddings.map(valuesOf), stamp.model);
}

function valuesOf(embedding: { values?: unknown } | null | undefined): number[] {
  if (Array.isArray(embedding?.values)) return embedding.values as number[];
  throw unreadable('no embedding');
}
