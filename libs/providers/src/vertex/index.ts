import type { ChannelTypeInfo } from '@tollgate/contracts';
import { factsOf } from '@tollgate/contracts/catalog';
import { hostedMessages } from '../anthropic/hosted.ts';
import { modelOf as claudeModelOf } from '../anthropic/request.ts';
import { gemini, readGeminiError } from '../gemini/index.ts';
import { modelName } from '../gemini/model-url.ts';
import { picked } from '../objects.ts';
import { openaiCompatible } from '../openai/compatible.ts';
import { joinUrl } from '../openai/url.ts';
import type { ChatTranslation, Provider, Target } from '../provider.ts';
import { UpstreamError } from '../upstream-error.ts';
import { vertexClaudeId } from './claude-ids.ts';
import { embeddingMethodOf, embeddingsBy } from './embeddings.ts';
import { regionOf } from './region.ts';
import { googleToken, serviceAccountOf } from './service-account.ts';

/**
 * Google's Vertex AI: the models of several makers, each spoken to as its maker does, under one account.
 * Source: https://cloud.google.com/vertex-ai/generative-ai/docs/reference/rest
 */
export function vertex(info: ChannelTypeInfo): Provider {
  const placeOf = (target: Target) =>
    `projects/${encodeURIComponent(serviceAccountOf(info.type, target.key).projectId)}/locations/${regionOf(target)}`;
  const published = (target: Target, maker: string, method: string) =>
    joinUrl(target.baseUrl, `/v1/${placeOf(target)}/publishers/${maker}/models/${method}`);

  const platform: Provider = {
    baseUrl: '',
    baseUrlOf: hostOf,
    headers: ({ token = '' }) => ({ authorization: `Bearer ${token}` }),
    token: googleToken(info.type),
    error: readVertexError,
  };
  const generate = gemini(info).chat as ChatTranslation;
  const ofGoogle: Provider = {
    ...platform,
    chat: {
      ...generate,
      url: (request, target) =>
        published(
          target,
          'google',
          `${named(modelName(target))}:${request.stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
        ),
      // Source: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/count-tokens
      counts: {
        url: (target) => published(target, 'google', `${named(modelName(target))}:countTokens`),
        body: (sent) => picked(sent, ['contents', 'systemInstruction', 'system_instruction', 'tools', 'generationConfig']),
        tokensIn: ({ totalTokens }) => totalTokens,
      },
    },
  };
  const embedded = embeddingsBy((target, method) => published(target, 'google', `${named(modelName(target))}:${method}`));
  const ofGoogleBy = {
    predict: { ...ofGoogle, embeddings: embedded.predict },
    embedContent: { ...ofGoogle, embeddings: embedded.embedContent },
  };
  const ofAnthropic: Provider = {
    ...platform,
    chat: {
      ...hostedMessages({ version: 'vertex-2023-10-16' }),
      url(request, target) {
        const method = request.stream === true ? 'streamRawPredict?alt=sse' : 'rawPredict';
        return published(target, 'anthropic', `${named(vertexClaudeId(claudeModelOf(target)))}:${method}`);
      },
    },
  };
  const { chat: open } = openaiCompatible(
    { ...info, modes: ['chat'], streamUsage: 'option' },
    {
      url: ({ target }) => joinUrl(target.baseUrl, `/v1beta1/${placeOf(target)}/endpoints/openapi/chat/completions`),
    },
  );
  const ofOthers: Provider = { ...platform, chat: open };
  const { chat: predicted } = openaiCompatible(
    { ...info, modes: ['chat'], streamUsage: 'always' },
    {
      url: ({ request, target }) =>
        published(target, 'mistralai', `${named(target.model)}:${request.stream === true ? 'streamRawPredict' : 'rawPredict'}`),
    },
  );
  const ofMistral: Provider = { ...platform, chat: predicted };
  const byMaker: Record<string, Provider> = { anthropic: ofAnthropic, mistral: ofMistral, meta: ofOthers };

  return {
    ...ofGoogleBy.predict,
    byModel(model) {
      const maker = factsOf(model)?.maker;
      if (maker === 'google') return ofGoogleBy[embeddingMethodOf(model)];
      const known = maker === undefined ? undefined : byMaker[maker];
      return known ?? (isOpen.test(model) ? ofOthers : platform);
    },
  };
}

/** Open models are called by the name of their maker before a slash. */
const isOpen = /^[\w.-]+\/[\w.-]+$/;

/** A model's name in a path; its `@` stands for itself there. */
function named(model: string): string {
  return encodeURIComponent(model).replaceAll('%40', '@');
}

/** Of the worldwide location it is the service's own, else the region stands before it. */
function hostOf(target: Target): string {
  const region = regionOf(target);
  return region === 'global' ? 'https://aiplatform.googleapis.com' : `https://${region}-aiplatform.googleapis.com`;
}

/** The number of an error is its code here. */
function readVertexError(answer: Parameters<Provider['error']>[0], key: string): UpstreamError {
  const error = readGeminiError(answer, key);
  return error.status === 401 ? new UpstreamError({ ...error, kind: 'credentials', message: error.message }) : error;
}
