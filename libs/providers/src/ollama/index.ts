import type { ChannelTypeInfo } from '@tollgate/contracts';
import { noUsage } from '@tollgate/contracts';
import { z } from 'zod';
import { withChangedPieces } from '../openai/changed-pieces.ts';
import { openaiCompatible } from '../openai/compatible.ts';
import { namedReasoning } from '../openai/deviations.ts';
import { embeddingList, embeddingTexts } from '../openai/embedding-texts.ts';
import { openAiErrorIn } from '../openai/errors.ts';
import type { EmbeddingsRequest, EmbeddingsResponse } from '../openai/types.ts';
import { joinUrl } from '../openai/url.ts';
import type { Provider, Translation } from '../provider.ts';
import { read } from '../read-answer-shape.ts';
import { usageReading } from '../usage-reading.ts';

/** Ollama: OpenAI's routes for chats and completions, its own for embeddings. Source: https://docs.ollama.com/api */
export function ollama(info: ChannelTypeInfo): Provider {
  const compatible = openaiCompatible(info, {
    inlineImagesOnly: true,
    chatEdits: ({ stop }) => (typeof stop === 'string' ? { set: { stop: [stop] } } : undefined),
    repair: (answer) => withChangedPieces(answer, namedReasoning),
  });
  return { ...compatible, embeddings };
}

const mostTexts = 2048;
const embedded = z.object({ embeddings: z.array(z.array(z.number())) });

const embeddings: Translation<EmbeddingsRequest, EmbeddingsResponse> = {
  speaks: 'own',
  url: (_request, target) => joinUrl(target.baseUrl, '/api/embed'),
  encodeRequest: (request, target) => ({
    model: target.model,
    input: embeddingTexts(request, mostTexts),
    dimensions: request.dimensions ?? undefined,
  }),
  decodeResponse: (body, stamp) => embeddingList(read(embedded, body).embeddings, stamp.model),
  usageIn: (answer) => usageReading((count) => ({ ...noUsage, textInput: count('prompt_eval_count', answer.prompt_eval_count) })),
  errorIn: openAiErrorIn,
};
