import type { ChannelTypeInfo } from '@tollgate/contracts';
import { readError } from '../error-text.ts';
import { memberOf, modelNames } from '../model-names.ts';
import { joinUrl } from '../openai/url.ts';
import type { JsonObject, Provider, Target } from '../provider.ts';
import { type FailedAnswer, UpstreamError } from '../upstream-error.ts';
import { collectedContent } from './collected-content.ts';
import { embeddings } from './embeddings.ts';
import { imagen } from './imagen.ts';
import { modelName, modelUrl } from './model-url.ts';
import { nativeEdits } from './own-edits.ts';
import { encodeRequest, isReadByGoogle, ownTools } from './request.ts';
import { decodeResponse, decodeStream, errorIn } from './response.ts';
import { readGeminiUsage, searchesOf } from './usage.ts';

/** Google's Gemini API. Source: https://ai.google.dev/api/generate-content */
export function gemini(info: ChannelTypeInfo): Provider {
  return {
    baseUrl: info.defaultBaseUrl,
    headers: ({ key }) => ({ 'x-goog-api-key': key }),
    error: readGeminiError,
    pricedFields: info.pricedFields,
    ownFunctions: ownTools,
    chat: {
      speaks: 'gemini',
      inlineImagesOnly: true,
      readsAddress: (url, isSame) => isSame || isReadByGoogle(url),
      url: (request, target) => modelUrl(target, request.stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'),
      says: new Set(['temperature', 'top_p', 'top_k', 'seed', 'frequency_penalty', 'presence_penalty', 'reasoning_effort']),
      encodeRequest,
      nativeEdits,
      decodeResponse,
      decodeStream,
      collect: collectedContent,
      usageIn: (answer) => readGeminiUsage(answer.usageMetadata, searchesOf(answer)),
      errorIn,
      // Source: https://ai.google.dev/api/tokens
      counts: {
        url: (target) => modelUrl(target, 'countTokens'),
        body: (sent, target) => ({ generateContentRequest: { ...sent, model: `models/${modelName(target)}` } }),
        tokensIn: ({ totalTokens }) => totalTokens,
      },
    },
    embeddings,
    images: imagen,
    models: {
      url: (target: Target) => joinUrl(target.baseUrl, `/${target.other || 'v1beta'}/models?pageSize=1000`),
      decode: (body) => modelNames(memberOf(body, 'models'), 'name', isCalled).map((name) => name.replace(/^models\//, '')),
    },
  };
}

/** Others of its models are not for these calls. */
function isCalled({ supportedGenerationMethods: methods }: JsonObject): boolean {
  return Array.isArray(methods) && methods.some((method) => typeof method === 'string' && /generateContent|embedContent/i.test(method));
}

/** A wrong key is told as a bad request, and the time to wait in the details. */
export function readGeminiError(answer: FailedAnswer, key: string): UpstreamError {
  const error = readError(answer, key);
  const isBadKey = answer.body.includes('API_KEY_INVALID');
  const delay = /"retryDelay"\s*:\s*"(\d{1,5})(?:\.\d+)?s"/.exec(answer.body.slice(0, 20_000))?.[1];
  return new UpstreamError({
    ...error,
    kind: isBadKey ? 'credentials' : error.kind,
    message: error.message,
    retryAfterMs: error.retryAfterMs ?? (delay === undefined ? undefined : Number(delay) * 1000),
  });
}
