import type { ChatRequest, EmbeddingsRequest, JsonObject } from '@tollgate/providers';
import type { ClientError } from '../../context/errors.ts';
import type { CountRoute, RelayRoute } from '../../context/route.ts';
import { chat, embeddings } from '../../modes/text.ts';
import { type CallerDialect, given, keysIn, type ModelView } from '../dialect.ts';
import { wrong } from '../fields.ts';
import { wholeContent } from './candidates.ts';
import { ContentWriter, PassedContents } from './content-writer.ts';
import { batchEmbedRequest, embedRequest, wholeEmbedding, wholeEmbeddings } from './embed-requests.ts';
import { countedRequest, generateRequest } from './generate-request.ts';

const mostOnPage = 1000;
const usualPage = 50;

/**
 * The page that is asked for of a list in the order of its names; its token is the last name of the page before.
 * Throws: AppError `invalid_request`. Source: https://ai.google.dev/api/models#method:-models.list
 */
function pageOf(models: readonly ModelView[], query: URLSearchParams): JsonObject {
  const size = sizeIn(query);
  const last = lastNameIn(query);
  const asked = models.filter(({ id }) => id > last);
  const page = asked.slice(0, size);
  const nextPageToken = page.length < asked.length ? tokenOf(page.at(-1)?.id ?? '') : undefined;
  return { models: page.map(toModel), nextPageToken };
}

/** A page of no size is one of the usual size, and none is larger than the largest. */
function sizeIn(query: URLSearchParams): number {
  const size = Number(query.get('pageSize') ?? 0);
  if (!Number.isInteger(size) || size < 0) throw wrong('pageSize must be an integer from 0', 'pageSize');
  return Math.min(size || usualPage, mostOnPage);
}

function lastNameIn(query: URLSearchParams): string {
  const token = query.get('pageToken') ?? '';
  const name = Buffer.from(token, 'base64url').toString();
  if (tokenOf(name) !== token) throw wrong('pageToken must be the nextPageToken of a list', 'pageToken');
  return name;
}

function tokenOf(name: string): string {
  return Buffer.from(name).toString('base64url');
}

const methods = ['generateContent', 'countTokens', 'embedContent', 'batchEmbedContents'];

function toModel({ id }: ModelView): JsonObject {
  return { name: `models/${id}`, displayName: id, supportedGenerationMethods: methods };
}

/** Who calls as Google's Gemini API is called. Source: https://ai.google.dev/api */
export const gemini: CallerDialect = {
  name: 'gemini',
  endpoint: '/v1beta/models/{model}:generateContent',
  credentials(request, query) {
    const asked = query === undefined ? undefined : new URLSearchParams(query).get('key');
    return [...keysIn(request, 'x-goog-api-key'), ...given(asked)];
  },
  answerModel: { whole: ['modelVersion'], event: ['modelVersion'] },
  answerId: (callId) => callId,
  errorBody,
  errorEvent: (error) => `data: ${errorBody(error)}\r\n\r\n`,
  heartbeat: ': ping\n\n',
  modelList: pageOf,
  model: toModel,
};

/** Its streams are JSON arrays. */
export const geminiArrays: CallerDialect = { ...gemini, streamsArrays: true };

const statuses = new Map([
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [429, 'RESOURCE_EXHAUSTED'],
  [500, 'INTERNAL'],
  [501, 'UNIMPLEMENTED'],
  [504, 'DEADLINE_EXCEEDED'],
]);

/** When to come back stands in the body: https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto */
function errorBody({ status, message, code: reason, retryAfterSeconds, failedGeneration }: ClientError): string {
  const word = statuses.get(status) ?? (status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE');
  const retryInfo = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfterSeconds}s` };
  const errorInfo = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, metadata: { failed_generation: failedGeneration } };
  const infos = [
    ...(status === 429 && retryAfterSeconds !== undefined ? [retryInfo] : []),
    ...(failedGeneration === undefined ? [] : [errorInfo]),
  ];
  const details = infos.length > 0 ? infos : undefined;
  return JSON.stringify({ error: { code: status, message, status: word, details } });
}

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
