import type { IncomingHttpHeaders } from 'node:http';
import type { ClientError } from '../context/errors.ts';
import type { Address, CountRoute, RelayRoute } from '../context/route.ts';
import { anthropic, countRoute, messagesRoute } from './anthropic/anthropic.ts';
import { bearerOf, type CallerDialect, given } from './dialect.ts';
import { batchEmbedRoute, countTokensRoute, embedRoute, gemini, generateArrayRoute, generateRoute } from './gemini/gemini.ts';
import {
  imageEditsRoute,
  imagesRoute,
  imageVariationsRoute,
  moderationsRoute,
  rerankRoute,
  speechRoute,
  transcriptionRoute,
  translationRoute,
} from './openai/media-answers.ts';
import { openai } from './openai/openai.ts';
import { chatRoute, completionsRoute, embeddingsRoute, fillInRoute } from './openai/routes.ts';
import { compactRoute, inputTokensRoute, responses, responsesRoute } from './responses/responses.ts';

/** Who calls as midjourney-proxy is called. Source: https://github.com/novicezk/midjourney-proxy */
const midjourney: CallerDialect = {
  ...openai,
  credentials({ headers }) {
    const secret = headers['mj-api-secret'];
    return given(bearerOf(headers.authorization), typeof secret === 'string' ? bearerOf(secret) : undefined);
  },
  answerId: (callId) => callId,
  errorBody,
};

/** In its own words, and in those that the product family uses for what happens before a channel is asked. */
function errorBody({ status, message, type, code }: ClientError): string {
  return JSON.stringify({ code: codeOf(status, code), description: message, type, error: { message, type, code } });
}

/** 3 nobody draws, 4 the request is wrong, 5 anything else, 23 too much at once, 24 a banned word. */
function codeOf(status: number, code: ClientError['code']): number {
  if (code === 'no_available_channel' || code === 'model_not_found') return 3;
  if (code === 'sensitive_words_detected') return 24;
  if (status === 429) return 23;
  return status < 500 ? 4 : 5;
}

/** Who calls as Suno-API is called. Source: https://github.com/Suno-API/Suno-API */
const suno: CallerDialect = {
  ...openai,
  answerId: (callId) => callId,
  errorBody: ({ message, code }) => JSON.stringify({ code: String(code ?? 'invalid_request'), message, data: null }),
};

/** A route, and what the address says to it. */
export interface FoundRoute {
  route: RelayRoute;
  address: Address;
}

const nothing: Address = {};

/** The hot routes by their paths. */
const byPath = new Map<string, FoundRoute>([
  ['/v1/chat/completions', { route: chatRoute, address: nothing }],
  ['/v1/completions', { route: completionsRoute, address: nothing }],
  ['/v1/fim/completions', { route: fillInRoute, address: nothing }],
  ['/v1/embeddings', { route: embeddingsRoute, address: nothing }],
  ['/v1/responses', { route: responsesRoute, address: nothing }],
  ['/v1/responses/compact', { route: compactRoute, address: nothing }],
  ['/v1/images/generations', { route: imagesRoute, address: nothing }],
  ['/v1/images/edits', { route: imageEditsRoute, address: nothing }],
  ['/v1/images/variations', { route: imageVariationsRoute, address: nothing }],
  ['/v1/audio/speech', { route: speechRoute, address: nothing }],
  ['/v1/audio/transcriptions', { route: transcriptionRoute, address: nothing }],
  ['/v1/audio/translations', { route: translationRoute, address: nothing }],
  ['/v1/moderations', { route: moderationsRoute, address: nothing }],
  ['/v1/rerank', { route: rerankRoute, address: nothing }],
  ['/v1/messages', { route: messagesRoute, address: nothing }],
]);

/** Azure's clients put the deployment, which is the model here, into the path: https://learn.microsoft.com/azure/ai-foundry/openai/reference */
const azurePath = /^\/openai\/deployments\/([^/]+)(\/.+)$/;
const enginesPath = /^\/v1\/engines\/([^/]+)\/embeddings$/;

/** Gemini's clients put model and method into the address; names of models may hold colons and slashes, and some clients encode the colon. */
const geminiPath = /^\/v1(?:alpha|beta)?\/models\/(.+)(?::|%3A)(\w+)$/i;

const geminiRoutes = new Map<string, RelayRoute>([
  ['generateContent', generateRoute],
  ['streamGenerateContent', generateRoute],
  ['embedContent', embedRoute],
  ['batchEmbedContents', batchEmbedRoute],
]);

/** Which route of which dialect a path is; undefined for one that is not hot, or none. `query` is what follows `?`. */
export function routeAt(path: string, query: string | undefined): FoundRoute | undefined {
  const found = byPath.get(path);
  if (found !== undefined) return found;
  const engine = enginesPath.exec(path)?.[1];
  if (engine !== undefined) return { route: embeddingsRoute, address: { model: decoded(engine) } };
  const [, deployment, task] = azurePath.exec(path) ?? [];
  if (deployment !== undefined) {
    const deployed = byPath.get(`/v1${task}`);
    return deployed?.route.dialect === openai ? { route: deployed.route, address: { model: decoded(deployment) } } : undefined;
  }
  const [, model, method = ''] = geminiPath.exec(path) ?? [];
  const route = geminiRoutes.get(method);
  if (model === undefined || route === undefined) return undefined;
  if (method !== 'streamGenerateContent') return { route, address: { model: geminiModel(model) } };
  const streamed = new URLSearchParams(query).get('alt') === 'sse' ? route : generateArrayRoute;
  return { route: streamed, address: { model: geminiModel(model), isStream: true } };
}

/** Whether a path is a route of calls or of lists of models. */
const storedPath =
  /^\/v1\/(?:responses\/(?!responses$)[^/]+(?:\/(?:input_items|cancel))?|conversations(?:\/[^/]+(?:\/items(?:\/[^/]+)?)?)?)$/;

export function isRoute(path: string): boolean {
  return (
    storedPath.test(path) ||
    /^\/v1(?:beta)?\/models(?:\/[^:%]+)?$/.test(path) ||
    routeAt(path, undefined) !== undefined ||
    countRouteAt(path) !== undefined
  );
}

/** The routes that count instead of asking. */
export function countRouteAt(path: string): { route: CountRoute; address: Address } | undefined {
  if (path === '/v1/messages/count_tokens') return { route: countRoute, address: nothing };
  if (path === '/v1/responses/input_tokens') return { route: inputTokensRoute, address: nothing };
  const [, model, method] = geminiPath.exec(path) ?? [];
  return model === undefined || method !== 'countTokens' ? undefined : { route: countTokensRoute, address: { model: geminiModel(model) } };
}

export const playgroundRoute: FoundRoute = { route: chatRoute, address: nothing };

/** The paths of all calls, with `{model}` where one stands in it. */
export const callPaths: readonly string[] = [
  ...byPath.keys(),
  '/v1/engines/{model}/embeddings',
  '/openai/deployments/{model}/chat/completions',
  ...[...geminiRoutes.keys(), 'countTokens'].map((method) => `/v1beta/models/{model}:${method}`),
  '/v1/messages/count_tokens',
  '/v1/responses/input_tokens',
];

/** In whose words a caller is answered whose path is no hot route. Lists of models and of files have one path in several dialects. */
export function dialectAt(path: string, headers: IncomingHttpHeaders): CallerDialect {
  if (path.startsWith('/v1/messages')) return anthropic;
  if (path.startsWith('/v1/responses') || path.startsWith('/v1/conversations')) return responses;
  if (path.startsWith('/suno/')) return suno;
  if (/^\/(?:[\w-]+\/)?mj\//.test(path)) return midjourney;
  if (/^\/(?:v1beta|v1alpha|upload\/|\/?ws\/)/.test(path)) return gemini;
  if (!path.startsWith('/v1/')) return openai;
  if (headers['anthropic-version'] !== undefined) return anthropic;
  if (headers['x-goog-api-key'] !== undefined || geminiPath.test(path)) return gemini;
  return openai;
}

/** Clients that list models get their names as `models/<name>`, and some put all of it into the address. */
function geminiModel(part: string): string {
  const name = decoded(part);
  return name.startsWith('models/') ? name.slice('models/'.length) : name;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
