import type { EmbeddingsRequest, EmbeddingsResponse } from '../openai/types.ts';
import type { JsonObject, Stamp, Target, Translation } from '../provider.ts';
import { RequestRefused, UpstreamError } from '../upstream-error.ts';
import { modelName, modelUrl } from './model-url.ts';
import { errorIn } from './response.ts';

const mostTexts = 100; // of one batch call

/** One text or many; Gemini tells no usage here. Source: https://ai.google.dev/api/embeddings */
export const embeddings: Translation<EmbeddingsRequest, EmbeddingsResponse> = {
  speaks: 'own',
  url: (request, target) => modelUrl(target, textsOf(request).length === 1 ? 'embedContent' : 'batchEmbedContents'),
  encodeRequest,
  decodeResponse,
  usageIn: () => undefined,
  errorIn,
};

function encodeRequest(request: EmbeddingsRequest, target: Target): JsonObject {
  const outputDimensionality = request.dimensions ?? undefined;
  const requests = textsOf(request).map((text) => ({
    content: { parts: [{ text }] },
    ...(outputDimensionality !== undefined && { outputDimensionality }),
  }));
  const [only] = requests;
  if (requests.length === 1 && only !== undefined) return only;
  return { requests: requests.map((one) => ({ model: `models/${modelName(target)}`, ...one })) };
}

function textsOf({ input }: EmbeddingsRequest): string[] {
  const texts: unknown[] = Array.isArray(input) ? input : [input];
  if (texts.length === 0) throw new RequestRefused('The input is empty', 'input');
  if (texts.length > mostTexts) throw new RequestRefused(`This model takes at most ${mostTexts} texts a call`, 'input');
  if (!texts.every((text) => typeof text === 'string')) throw new RequestRefused('This model takes texts only, no tokens', 'input');
  return texts as string[];
}

function decodeResponse(body: JsonObject, stamp: Stamp): EmbeddingsResponse {
  const embeddings = (Array.isArray(body.embeddings) ? body.embeddings : [body.embedding]) as ({ values?: unknown } | null | undefined)[];
  return {
    object: 'list',
    data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding: valuesOf(embedding) })),
    model: stamp.model,
  };
}

function valuesOf(embedding: { values?: unknown } | null | undefined): number[] {
  if (Array.isArray(embedding?.values)) return embedding.values as number[];
  throw new UpstreamError({
    kind: 'unreadable',
    status: 502,
    message: 'The upstream provider sent no embedding',
    code: 'upstream_bad_answer',
  });
}
