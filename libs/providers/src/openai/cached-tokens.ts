import { isObject } from '../objects.ts';
import type { JsonObject } from '../provider.ts';
import type { Counter } from '../usage-reading.ts';

/** One place of a number in a usage object: the names that lead to it. */
interface Place {
  path: readonly string[];
  statedBy: string;
  source: string;
  /** When the source was last read. */
  date: string;
}

/** Prompt tokens read from a cache. They are part of the prompt's total. The first place that holds more than zero counts. */
export const cachedTokenPlaces: readonly Place[] = [
  {
    path: ['prompt_tokens_details', 'cached_tokens'],
    statedBy: 'OpenAI, Azure, xAI, Groq, Mistral, Zhipu, DashScope, Volcano Ark, OpenRouter, newer Moonshot',
    source: 'https://platform.openai.com/docs/api-reference/chat/object',
    date: '2026-11-26',
  },
  {
    path: ['input_tokens_details', 'cached_tokens'],
    statedBy: 'OpenAI and xAI in Responses, OpenAI in images',
    source: 'https://platform.openai.com/docs/api-reference/responses/object',
    date: '2026-11-26',
  },
  {
    path: ['prompt_cache_hit_tokens'],
    statedBy: 'DeepSeek, SiliconFlow',
    source: 'https://api-docs.deepseek.com/api/create-chat-completion',
    date: '2026-11-26',
  },
  {
    path: ['cached_tokens'],
    statedBy: 'Moonshot (Kimi), Together',
    source: 'https://platform.moonshot.ai/docs/api/chat',
    date: '2026-11-26',
  },
  { path: ['num_cached_tokens'], statedBy: 'Mistral', source: 'https://github.com/vercel/ai/issues/14382', date: '2026-11-26' },
  {
    path: ['prompt_token_details', 'cached_tokens'],
    statedBy: 'Mistral',
    source: 'https://github.com/vercel/ai/issues/14382',
    date: '2026-11-26',
  },
  {
    path: ['cache_read_input_tokens'],
    statedBy: 'LiteLLM and other gateways in front of Claude',
    source: 'https://docs.litellm.ai/docs/completion/prompt_caching',
    date: '2026-11-26',
  },
];

/** Prompt tokens written to a cache, likewise part of the prompt's total. */
export const cacheWritePlaces: readonly Place[] = [
  {
    path: ['prompt_tokens_details', 'cached_creation_tokens'],
    statedBy: 'gateways of the one-api family',
    source: 'https://github.com/QuantumNous/new-api',
    date: '2026-11-26',
  },
  {
    path: ['prompt_tokens_details', 'cache_write_tokens'],
    statedBy: 'OpenAI, OpenRouter',
    source: 'https://openrouter.ai/docs/guides/best-practices/prompt-caching',
    date: '2026-11-26',
  },
  {
    path: ['input_tokens_details', 'cache_write_tokens'],
    statedBy: 'OpenAI in Responses',
    source: 'https://platform.openai.com/docs/api-reference/responses/object',
    date: '2026-11-26',
  },
  {
    path: ['prompt_tokens_details', 'cache_creation_input_tokens'],
    statedBy: 'DashScope',
    source: 'https://help.aliyun.com/zh/model-studio/context-cache',
    date: '2026-11-26',
  },
  {
    path: ['cache_creation_input_tokens'],
    statedBy: 'LiteLLM and other gateways in front of Claude',
    source: 'https://docs.litellm.ai/docs/completion/prompt_caching',
    date: '2026-11-26',
  },
];

/** How often the provider searched the web for an answer. */
const searchPlaces: readonly Place[] = [
  {
    path: ['server_tool_use', 'web_search_requests'],
    statedBy: 'gateways in front of Claude',
    source: 'https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/web-search-tool',
    date: '2026-11-26',
  },
  {
    path: ['server_side_tool_usage_details', 'web_search_calls'],
    statedBy: 'xAI in Responses',
    source: 'https://docs.x.ai/docs/guides/tools/overview',
    date: '2026-11-26',
  },
  {
    path: ['plugins', 'search', 'count'],
    statedBy: 'DashScope',
    source: 'https://www.alibabacloud.com/help/en/model-studio/web-search',
    date: '2026-11-26',
  },
];

export function searchCountIn(usage: JsonObject, count: Counter): number {
  return firstIn(usage, searchPlaces, count);
}

/** How many prompt tokens were read from a cache; 0 where that is not stated. Units: tokens. */
export function cachedTokensIn(usage: JsonObject, count: Counter): number {
  return firstIn(usage, cachedTokenPlaces, count);
}

/** How many prompt tokens were written to a cache, whichever lifetime they have; 0 where that is not stated. Units: tokens. */
export function cacheWritesIn(usage: JsonObject, count: Counter): number {
  return firstIn(usage, cacheWritePlaces, count);
}

function firstIn(usage: JsonObject, places: readonly Place[], count: Counter): number {
  for (const { path } of places) {
    const tokens = count(path.at(-1) as string, valueAt(usage, path));
    if (tokens > 0) return tokens;
  }
  return 0;
}

function valueAt(usage: JsonObject, path: readonly string[]): unknown {
  let value: unknown = usage;
  for (const name of path) value = isObject(value) ? value[name] : undefined;
  return value;
}

/**
 * The usage object of an answer or a chunk: at the top with nearly all, in the last choice with Moonshot, in `x_groq` with Groq where the
 * stream was not asked for its usage. Sources: https://platform.moonshot.ai/docs/api/chat, https://console.groq.com/docs/api-reference
 */
export function usageIn(answer: JsonObject): unknown {
  if (isObject(answer.usage) ? Object.keys(answer.usage).length > 0 : answer.usage) return answer.usage;
  const { choices, x_groq: groq } = answer;
  const choice = Array.isArray(choices) ? choices.find((candidate: JsonObject | null) => candidate?.usage) : undefined;
  return choice?.usage ?? (isObject(groq) ? groq.usage : undefined);
}
