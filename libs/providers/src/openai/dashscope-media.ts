import { errorFrom, statedError } from '../error-text.ts';
import type { JsonObject, Stamp, Target, Translation } from '../provider.ts';
import { unreadable } from '../read-answer-shape.ts';
import { RequestRefused, UpstreamError } from '../upstream-error.ts';
import type { ImageRequest, ImagesResponse, RerankRequest, RerankResponse } from './media-types.ts';
import { joinUrl } from './url.ts';
import { openAiUsageIn } from './usage.ts';

/** Pictures, drawn while one asks again and again. Source: https://help.aliyun.com/zh/model-studio/text-to-image-v2-api-reference */
export const images: Translation<ImageRequest, ImagesResponse> = {
  speaks: 'own',
  url: (_request, target) => joinUrl(target.baseUrl, '/api/v1/services/aigc/text2image/image-synthesis'),
  headers: () => ({ 'x-dashscope-async': 'enable', 'x-dashscope-sse': 'disable' }),
  encodeRequest,
  polls: { place, isRunning },
  decodeResponse,
  usageIn: () => undefined,
  errorIn,
};

const running = new Set<unknown>(['PENDING', 'RUNNING', 'SUSPENDED']);
/** In an address they would name another place. */
const noName = new Set(['', '.', '..']);

function place(answer: JsonObject, { baseUrl }: Pick<Target, 'baseUrl'>): string | undefined {
  const { task_id: id } = (answer.output ?? {}) as JsonObject;
  if (typeof id !== 'string' || noName.has(id)) return undefined;
  return joinUrl(baseUrl, `/api/v1/tasks/${encodeURIComponent(id)}`);
}

function isRunning(answer: JsonObject): boolean {
  const { task_status: status } = (answer.output ?? {}) as JsonObject;
  return running.has(status);
}

function encodeRequest(
  { prompt, n, size, style, seed, negative_prompt, response_format: format, stream }: ImageRequest,
  target: Target,
): JsonObject {
  if (format === 'b64_json') throw new RequestRefused('Pictures of this model come as url only', 'response_format');
  if (stream === true) throw new RequestRefused('Pictures of this model are not streamed', 'stream');
  const isAnySize = !size || size === 'auto';
  return {
    model: target.model,
    input: { prompt, negative_prompt },
    parameters: { size: isAnySize ? undefined : size.replace('x', '*'), n: n ?? 1, style, seed },
  };
}

function decodeResponse(body: JsonObject, stamp: Stamp): ImagesResponse {
  const { results } = (body.output ?? {}) as JsonObject;
  if (!Array.isArray(results)) throw unreadable('no pictures');
  const data = (results as JsonObject[]).flatMap((one) => (typeof one?.url === 'string' ? [{ url: one.url }] : []));
  if (data.length > 0) return { created: stamp.createdSeconds, data };
  const stated = statedError(results[0]);
  if (stated.message === undefined && stated.code === undefined) throw unreadable('no pictures');
  throw errorFrom(stated, { status: 400 });
}

/** A task that has failed says so with status 200, and one that nobody knows is called unknown. */
function errorIn(answer: JsonObject): UpstreamError | undefined {
  const { task_status: status, code, message } = (answer.output ?? {}) as JsonObject;
  const told = answer.code ? answer : { code, message };
  if (told.code) return errorFrom(statedError(told), { status: 400 });
  if (status === undefined || status === 'SUCCEEDED' || running.has(status)) return undefined;
  if (typeof status !== 'string') throw unreadable('a task without a status');
  return new UpstreamError({
    kind: 'server',
    status: 502,
    message: `The task ended as ${status.slice(0, 32)}`,
    code: 'upstream_error',
  });
}

/** Source: https://help.aliyun.com/zh/model-studio/text-rerank-api */
export const rerank: Translation<RerankRequest, RerankResponse> = {
  speaks: 'own',
  url: (_request, target) => joinUrl(target.baseUrl, '/api/v1/services/rerank/text-rerank/text-rerank'),
  encodeRequest: ({ query, documents, top_n, return_documents }, target) => ({
    model: target.model,
    input: { query, documents },
    parameters: { top_n: top_n ?? undefined, return_documents: return_documents ?? undefined },
  }),
  decodeResponse(body, { model }) {
    const { results } = (body.output ?? {}) as JsonObject;
    if (!Array.isArray(results)) throw unreadable('no results');
    return { model, results: results as RerankResponse['results'] };
  },
  usageIn: openAiUsageIn,
  errorIn,
};
