import type { JsonEdits } from '../json-bytes.ts';
import type { JsonObject, Target, UsageReading } from '../provider.ts';
import { withChangedPieces } from './changed-pieces.ts';
import type { Differences } from './compatible.ts';
import type { ChatRequest } from './types.ts';
import { openAiUsageIn, readOpenAiUsage, toOpenAiUsage } from './usage.ts';

/** Type 8: the base URL is the whole URL of every mode. */
export const customUrl: Differences = {
  url: ({ target }) => target.baseUrl.replaceAll('{model}', target.model.split('/').map(encodeURIComponent).join('/')),
  models: false,
};

/** Type 1: calls may be booked on an organisation. Other gateways answer the old billing views, OpenAI itself no longer does. */
export const openai: Differences = {
  headers: ({ key, organization }) => ({
    authorization: `Bearer ${key}`,
    ...(organization && { 'openai-organization': organization }),
  }),
  balance: dashboardBalance(),
};

export const openrouter: Differences = {
  headers: ({ key }) => ({ authorization: `Bearer ${key}`, 'x-title': 'Tollgate' }),
  repair: (answer) => withChangedPieces(answer, renamedReasoning),
};

/** Perplexity wants `top_p` below 1. */
export const perplexity: Differences = {
  pathPrefix: '/',
  chatEdits: (request) => (typeof request.top_p === 'number' && request.top_p >= 1 ? { set: { top_p: 0.99 } } : undefined),
  models: false,
};

/** DeepSeek: completions, and chats that go on from a prefix, stand under `/beta`. */
export const deepseek: Differences = {
  url: ({ mode, task, request, target }) => {
    if (mode === 'completions') return `${target.baseUrl}/beta/${task}`;
    return hasPrefixMessage(request) ? `${target.baseUrl}/beta/${task}` : undefined;
  },
  models: { url: (target) => `${target.baseUrl}/models` },
  balance: {
    urls: (target) => [`${target.baseUrl}/user/balance`],
    decode: ([body]) => {
      const infos = ((body as JsonObject).balance_infos ?? []) as JsonObject[];
      const cny = infos.find((info) => info.currency === 'CNY');
      return { amount: Number(cny?.total_balance ?? 0), currency: 'CNY' };
    },
  },
};

/** SiliconFlow's own balance view. */
export const siliconflow: Differences = {
  balance: {
    urls: (target) => [`${target.baseUrl}/v1/user/info`],
    decode: ([body]) => ({ amount: Number(((body as JsonObject).data as JsonObject).totalBalance), currency: 'CNY' }),
  },
};

export const moonshot: Differences = {
  // Kimi refuses temperatures above 1.
  chatEdits: (request) => (typeof request.temperature === 'number' && request.temperature > 1 ? { set: { temperature: 1 } } : undefined),
};

/** Volcano Ark: bots answer on a route of their own. */
export const ark: Differences = {
  pathPrefix: '/api/v3/',
  url: ({ mode, target }) =>
    mode === 'chat' && target.model.startsWith('bot') ? `${target.baseUrl}/api/v3/bots/chat/completions` : undefined,
  models: false,
};

export const baiduV2: Differences = { pathPrefix: '/v2/', extraModes: ['embeddings'] };

/** MokaAI has no version in its path and takes lists only. */
export const moka: Differences = {
  pathPrefix: '/',
  embeddingsEdits: ({ input }) => (typeof input === 'string' ? { set: { input: [input] } } : undefined),
  models: false,
};

/** FastGPT leaves the head of its answers empty; with `detail` it sends events that are no chunks, which repair drops. */
export const fastgpt: Differences = {
  repair: (answer, stamp) => ({
    ...answer,
    id: answer.id || stamp.id,
    object: answer.object || objectOf(answer),
    created: answer.created || stamp.createdSeconds,
    model: answer.model || stamp.model,
  }),
  models: false,
};

/** xAI: an effort may be appended to the small reasoning models' names, and `completion_tokens` leaves reasoning out. */
export const xai: Differences = {
  modelOf: ({ model }) => (isGrokMini(model) ? model.replace(grokEffort, '') : model),
  chatEdits: grokEdits,
  usageIn: grokUsageIn,
  repair: (answer) => {
    const reading = grokUsageIn(answer);
    return reading?.trusted ? { ...answer, usage: { ...(answer.usage as JsonObject), ...toOpenAiUsage(reading.usage) } } : answer;
  },
};

const grokEffort = /-(high|medium|low)$/;

function isGrokMini(model: string): boolean {
  return model.startsWith('grok-3-mini');
}

function grokEdits(request: ChatRequest, target: Target): JsonEdits | undefined {
  if (!isGrokMini(target.model)) return undefined;
  return {
    set: {
      reasoning_effort: grokEffort.exec(target.model)?.[1],
      max_completion_tokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    },
    remove: ['max_tokens'],
  };
}

function grokUsageIn(answer: JsonObject): UsageReading | undefined {
  const usage = answer.usage as JsonObject | null | undefined;
  const { prompt_tokens: prompt, total_tokens: total } = usage ?? {};
  if (typeof prompt !== 'number' || typeof total !== 'number' || total <= prompt) return openAiUsageIn(answer);
  return readOpenAiUsage({ ...usage, completion_tokens: total - prompt });
}

function hasPrefixMessage(request: JsonObject): boolean {
  const last = Array.isArray(request.messages) ? (request.messages.at(-1) as JsonObject | undefined) : undefined;
  return last?.prefix === true;
}

function renamedReasoning({ reasoning, ...piece }: JsonObject): JsonObject {
  return typeof reasoning === 'string' ? { ...piece, reasoning_content: piece.reasoning_content ?? reasoning } : piece;
}

function objectOf(answer: JsonObject): string {
  const choices = Array.isArray(answer.choices) ? (answer.choices as JsonObject[]) : [];
  return choices.some((choice) => choice?.message) ? 'chat.completion' : 'chat.completion.chunk';
}

function dashboardBalance(): Differences['balance'] {
  return {
    urls: ({ baseUrl }: Target, today: string) => [
      `${baseUrl}/v1/dashboard/billing/subscription`,
      `${baseUrl}/v1/dashboard/billing/usage?start_date=${today.slice(0, 8)}01&end_date=${today}`,
    ],
    decode: ([subscription, usage]) => {
      const limit = Number((subscription as JsonObject).hard_limit_usd);
      return { amount: limit - Number((usage as JsonObject).total_usage) / 100, currency: 'USD' };
    },
  };
}
