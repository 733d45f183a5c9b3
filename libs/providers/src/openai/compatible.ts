import type { ChannelTypeInfo } from '@tollgate/contracts';
import { errorFrom, readError, statedError } from '../error-text.ts';
import type { JsonEdits } from '../json-bytes.ts';
import { memberOf, modelNames } from '../model-names.ts';
import { effortOfName, withoutEnding } from '../model-rules.ts';
import type { AnswerPlace, JsonObject, ModelList, PassThrough, Provider, Target, UsageReading } from '../provider.ts';
import { dashboardBalance } from './dashboard-balance.ts';
import { takenReasoning } from './earlier-reasoning.ts';
import { openAiErrorIn } from './errors.ts';
import type { ImageRequest, ModerationRequest, RerankRequest, SpeechRequest, TranscriptionRequest } from './media-types.ts';
import { imagesUsageIn, rerankUsageIn, speechUsageIn, transcriptionUsageIn } from './media-usage.ts';
import { modelEdits, passesToOpenAi } from './model-edits.ts';
import { realtimeUsageIn } from './realtime.ts';
import { responsesChat } from './responses.ts';
import type { ChatRequest, CompletionRequest, EmbeddingsRequest, RealtimeRequest } from './types.ts';
import { joinUrl } from './url.ts';
import { openAiUsageIn } from './usage.ts';

const tasks = {
  chat: 'chat/completions',
  completions: 'completions',
  embeddings: 'embeddings',
  images: 'images/generations',
  imageEdits: 'images/edits',
  imageVariations: 'images/variations',
  speech: 'audio/speech',
  transcription: 'audio/transcriptions',
  translation: 'audio/translations',
  moderations: 'moderations',
  rerank: 'rerank',
  realtime: 'realtime',
} as const;
export type PassThroughMode = keyof typeof tasks;

const answersAt: Record<PassThroughMode, readonly AnswerPlace[]> = {
  chat: ['choices'],
  completions: ['choices'],
  embeddings: ['data'],
  images: ['data'],
  imageEdits: ['data'],
  imageVariations: ['data'],
  speech: [],
  transcription: ['text'],
  translation: ['text'],
  moderations: ['results'],
  rerank: ['results', 'data'],
  realtime: [],
};

/** How a provider differs from OpenAI. Every part may be left out. */
export interface Differences {
  /** Modes beyond those that the channel type lists. */
  extraModes?: PassThroughMode[];
  /** What stands before the task in the path; `/v1/` by default. */
  pathPrefix?: string;
  /** A URL of its own; undefined for the usual one. */
  url?(call: { mode: PassThroughMode; task: string; request: JsonObject; target: Target }): string | undefined;
  headers?(target: Target): Record<string, string>;
  modelOf?(target: Target): string;
  effortOf?(target: Target): string | undefined;
  chatEdits?(request: ChatRequest, target: Target): JsonEdits | undefined;
  embeddingsEdits?(request: EmbeddingsRequest, target: Target): JsonEdits | undefined;
  usageIn?(answer: JsonObject): UsageReading | undefined;
  errorIn?: PassThrough<unknown>['errorIn'];
  repair?: PassThrough<unknown>['repair'];
  models?: Partial<ModelList> | false;
  balance?: Provider['balance'];
  imagesEdits?(request: ImageRequest, target: Target): JsonEdits | undefined;
  /** Makes a deviating answer of pictures what OpenAI would send. */
  imagesRepair?: PassThrough<unknown>['repair'];
  rerankEdits?(request: RerankRequest, target: Target): JsonEdits | undefined;
  /** Where its sessions are opened, when not at `realtime?model=`. */
  realtimeUrl?(target: Target): string;
  outputLimit?: PassThrough<ChatRequest>['outputLimit'];
  /** It takes images inside of the request only. */
  inlineImagesOnly?: boolean;
  /** It takes files by their addresses only. */
  fileAddressesOnly?: boolean;
  /** What the hub carries for it alone, in its own words. */
  toNative?: PassThrough<ChatRequest>['toNative'];
  knows?: PassThrough<ChatRequest>['knows'];
}

/** A provider that speaks OpenAI's dialect, as its channel type describes it. */
export function openaiCompatible(info: ChannelTypeInfo, differences: Differences = {}): Provider {
  const { pathPrefix = '/v1/', repair, usageIn = openAiUsageIn } = differences;
  const modelOf = differences.modelOf ?? ((target: Target) => withoutEnding(target.model));

  function passThrough<Request>(mode: PassThroughMode, edits?: PassThrough<Request>['edits']): PassThrough<Request> {
    const task = tasks[mode];
    return {
      speaks: 'openai',
      streamUsage: info.streamUsage ?? 'none',
      answersAt: answersAt[mode],
      url: (request, target) =>
        differences.url?.({ mode, task, request: request as JsonObject, target }) ?? joinUrl(target.baseUrl, pathPrefix + task),
      modelOf,
      edits,
      usageIn,
      errorIn: differences.errorIn ?? openAiErrorIn,
      repair,
    };
  }

  const chatEdits = (sent: ChatRequest, target: Target) => {
    const { model } = target;
    const messages = takenReasoning(sent, {
      model,
      isOpenAi: passesToOpenAi.has(info.protocol),
      isMakersOwn: target.baseUrl === info.defaultBaseUrl,
    });
    const request = messages === undefined ? sent : { ...sent, messages };
    const reasoned = messages === undefined ? undefined : { set: { messages }, changed: ['messages'] };
    const limited = info.knowsMaxTokensOnly ? limitByOldName(request) : undefined;
    const edited = merged(merged(reasoned, limited), modelEdits(request, { model, endpoint: 'chat' }, info));
    return merged(edited, differences.chatEdits?.(request, target));
  };
  /** What is no conversation: how it is billed, and how it travels. */
  function media<Request>(mode: PassThroughMode, more: Partial<PassThrough<Request>>): PassThrough<Request> | undefined {
    if (!modes.has(mode)) return undefined;
    return { ...passThrough<Request>(mode), repair: undefined, streamUsage: 'always', streamsEvents: true, ...more };
  }

  const drawn = { usageIn: imagesUsageIn, repair: differences.imagesRepair };
  const heard = { sends: 'form', usageIn: transcriptionUsageIn, answersText: true } as const;
  const modes = new Set<string>([...info.modes, ...(differences.extraModes ?? [])]);
  return {
    baseUrl: info.defaultBaseUrl,
    headers: differences.headers ?? bearer,
    error: readError,
    pricedFields: info.pricedFields,
    chat: modes.has('chat')
      ? {
          ...passThrough<ChatRequest>('chat', chatEdits),
          effortOf: differences.effortOf ?? (({ model }) => effortOfName(model)),
          outputLimit: differences.outputLimit,
          inlineImagesOnly: differences.inlineImagesOnly,
          fileAddressesOnly: differences.fileAddressesOnly,
          toNative: differences.toNative,
          knows: differences.knows,
        }
      : undefined,
    responses:
      modes.has('chat') && differences.url === undefined
        ? responsesChat({ url: (target) => joinUrl(target.baseUrl, `${pathPrefix}responses`), modelOf, info })
        : undefined,
    completions: modes.has('completions') ? passThrough<CompletionRequest>('completions') : undefined,
    embeddings: modes.has('embeddings') ? passThrough<EmbeddingsRequest>('embeddings', differences.embeddingsEdits) : undefined,
    images: media<ImageRequest>('images', { ...drawn, edits: differences.imagesEdits }),
    imageEdits: media<ImageRequest>('imageEdits', { ...drawn, sends: 'form' }),
    imageVariations: media<ImageRequest>('imageVariations', { ...drawn, sends: 'form' }),
    speech: media<SpeechRequest>('speech', { usageIn: speechUsageIn }),
    transcription: media<TranscriptionRequest>('transcription', heard),
    translation: media<TranscriptionRequest>('translation', heard),
    moderations: media<ModerationRequest>('moderations', {}),
    rerank: media<RerankRequest>('rerank', { usageIn: rerankUsageIn, edits: differences.rerankEdits }),
    realtime: media<RealtimeRequest>('realtime', {
      transport: 'websocket',
      usageIn: realtimeUsageIn,
      url: (_request, target) => differences.realtimeUrl?.(target) ?? realtimeUrl(target, pathPrefix),
    }),
    models: differences.models === false ? undefined : { ...modelList(`${pathPrefix}models`), ...differences.models },
    balance: info.tellsBalance ? (differences.balance ?? dashboardBalance) : undefined,
  };
}

/** Calls may be booked on an organisation, where the channel's type knows of one. */
export function bearer({ key, organization }: Target): Record<string, string> {
  return { authorization: `Bearer ${key}`, ...(organization && { 'openai-organization': organization }) };
}

function realtimeUrl({ baseUrl, model }: Target, pathPrefix: string): string {
  return joinUrl(baseUrl, `${pathPrefix}realtime`, { query: new URLSearchParams({ model }).toString() });
}

/** `{data:[{id}]}` at `path`. */
function modelList(path: string): ModelList {
  return {
    url: (target) => joinUrl(target.baseUrl, path),
    decode: (body) => {
      const data = memberOf(body, 'data');
      if (!Array.isArray(data)) throw errorFrom(statedError(body), { status: 200, kind: 'unreadable' });
      return modelNames(data, 'id');
    },
  };
}

function limitByOldName({ max_completion_tokens: limit }: ChatRequest): JsonEdits | undefined {
  return typeof limit === 'number' ? { set: { max_tokens: limit }, remove: ['max_completion_tokens'] } : undefined;
}

/** Both edits in one; where they name the same key, the second wins. */
function merged(first: JsonEdits | undefined, second: JsonEdits | undefined): JsonEdits | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return {
    set: { ...first.set, ...second.set },
    remove: [...(first.remove ?? []), ...(second.remove ?? [])],
    changed: [...(first.changed ?? []), ...(second.changed ?? [])],
  };
}
