import type { ChatRequest, EmbeddingsRequest } from '@tollgate/providers';
import { chat } from '../../modes/chat.ts';
import { embeddings } from '../../modes/embeddings.ts';
import type { CountRoute, RelayRoute } from '../../pipeline/route.ts';
import { wholeContent } from './candidates.ts';
import { ContentWriter } from './content-writer.ts';
import { batchEmbedRequest, embedRequest, wholeEmbedding, wholeEmbeddings } from './embed-requests.ts';
import { gemini, geminiArrays } from './gemini.ts';
import { countedRequest, generateRequest } from './generate-request.ts';
import { PassedContents } from './passed-contents.ts';

const writer: RelayRoute['writer'] = (reading, { isSame }) =>
  isSame && reading.isAsSent ? new PassedContents(reading) : new ContentWriter(reading);

/** POST .../models/{model}:generateContent and :streamGenerateContent. */
export const generateRoute: RelayRoute<ChatRequest> = { dialect: gemini, rules: chat, read: generateRequest, whole: wholeContent, writer };

/** The same without `alt=sse`: the stream is a JSON array. */
export const generateArrayRoute: RelayRoute<ChatRequest> = { ...generateRoute, dialect: geminiArrays };

/** POST .../models/{model}:embedContent. */
export const embedRoute: RelayRoute<EmbeddingsRequest> = {
  dialect: gemini,
  rules: embeddings,
  read: embedRequest,
  whole: wholeEmbedding,
  writer,
};

/** POST .../models/{model}:batchEmbedContents. */
export const batchEmbedRoute: RelayRoute<EmbeddingsRequest> = {
  dialect: gemini,
  rules: embeddings,
  read: batchEmbedRequest,
  whole: wholeEmbeddings,
  writer,
};

/** POST .../models/{model}:countTokens. */
export const countTokensRoute: CountRoute<ChatRequest> = {
  dialect: gemini,
  rules: chat,
  read: countedRequest,
  answer: (tokens) => ({ totalTokens: tokens }),
};
