import type { JsonObject } from '../provider.ts';
import { withChangedPieces } from './changed-pieces.ts';
import type { Differences } from './compatible.ts';
import { dashboardBalance } from './dashboard-balance.ts';
import { readDataUrl } from './data-url.ts';
import { refuseFiles, withFilesAs } from './file-parts.ts';
import { withDetails } from './reasoning-details.ts';
import type { ContentPart } from './types.ts';

/** A custom channel: the base URL is the whole URL of every mode. */
export const customUrl: Differences = {
  url: ({ target }) => target.baseUrl.replaceAll('{model}', target.model.split('/').map(encodeURIComponent).join('/')),
  models: false,
  balance: {
    urls: (target, today) => dashboardBalance.urls({ ...target, baseUrl: URL.parse(target.baseUrl)?.origin ?? target.baseUrl }, today),
    decode: dashboardBalance.decode,
  },
};

export const openrouter: Differences = {
  balance: {
    urls: (target) => [`${target.baseUrl}/v1/credits`],
    decode: ([body]) => {
      const { total_credits: bought, total_usage: used } = (body as JsonObject).data as JsonObject;
      return { amount: Number(bought) - Number(used), currency: 'USD' };
    },
  },
  headers: ({ key }) => ({ authorization: `Bearer ${key}`, 'x-title': 'Tollgate' }),
  toNative: withDetails,
  // What is to be cached of Claude's prompts: https://openrouter.ai/docs/features/prompt-caching
  knows: ['cache_control'],
  repair: (answer) => withChangedPieces(answer, namedReasoning),
};

/** Perplexity wants `top_p` below 1, and has words of its own for files. */
export const perplexity: Differences = {
  pathPrefix: '/',
  chatEdits: (request) => {
    const topP = typeof request.top_p === 'number' && request.top_p >= 1 ? 0.99 : undefined;
    const messages = withFilesAs(request.messages, fileUrlOf);
    return topP === undefined && messages === undefined
      ? undefined
      : { set: { ...(topP && { top_p: topP }), ...(messages && { messages }) } };
  },
  models: false,
};

/** A file by its address, or as base64 alone. Source: https://docs.perplexity.ai/guides/file-attachments */
function fileUrlOf({ file_data: data = '', filename }: NonNullable<ContentPart['file']>): ContentPart {
  return { type: 'file_url', file_url: { url: readDataUrl(data)?.data ?? data }, ...(filename && { file_name: filename }) };
}

/** SiliconFlow: its own balance view, and its own words for pictures. Source: https://docs.siliconflow.cn/en/api-reference/images/images-generations */
export const siliconflow: Differences = {
  imagesEdits: ({ size, n }) => ({ set: { image_size: size ?? undefined, batch_size: n ?? undefined }, remove: ['size', 'n'] }),
  imagesRepair: ({ images, ...answer }, { stamp }) =>
    Array.isArray(images) ? { created: stamp.createdSeconds, ...answer, data: images } : answer,
  balance: {
    urls: (target) => [`${target.baseUrl}/v1/user/info`],
    decode: ([body]) => ({ amount: Number(((body as JsonObject).data as JsonObject).totalBalance), currency: 'CNY' }),
  },
};

export const moonshot: Differences = {
  balance: {
    urls: (target) => [`${target.baseUrl}/v1/users/me/balance`],
    decode: ([body]) => ({ amount: Number(((body as JsonObject).data as JsonObject).available_balance), currency: 'CNY' }),
  },
  // Kimi takes no files but those that are uploaded first: https://platform.kimi.ai/docs/guide/use-kimi-api-for-file-based-qa
  chatEdits: (request) => {
    refuseFiles(request);
    return undefined;
  },
};

/** Volcano Ark: bots answer on a route of their own. */
export const ark: Differences = {
  pathPrefix: '/api/v3/',
  url: ({ mode, target }) =>
    mode === 'chat' && target.model.startsWith('bot') ? `${target.baseUrl}/api/v3/bots/chat/completions` : undefined,
  models: false,
};

export const baiduV2: Differences = { pathPrefix: '/v2/', extraModes: ['embeddings', 'rerank', 'images'] };

/** MokaAI has no version in its path and takes lists only. */
export const moka: Differences = {
  pathPrefix: '/',
  embeddingsEdits: ({ input }) => (typeof input === 'string' ? { set: { input: [input] } } : undefined),
  models: false,
};

/** FastGPT leaves the head of its answers empty; with `detail` it sends events that are no chunks, which repair drops. */
export const fastgpt: Differences = {
  repair: (answer, { stamp }) => ({
    ...answer,
    id: answer.id || stamp.id,
    object: answer.object || objectOf(answer),
    created: answer.created || stamp.createdSeconds,
    model: answer.model || stamp.model,
  }),
  models: false,
};

/** `reasoning` also under the name that most clients of OpenAI's dialect know; those of this provider know its own. */
export function namedReasoning(piece: JsonObject): JsonObject {
  const { reasoning, reasoning_content: content } = piece;
  return typeof reasoning === 'string' && typeof content !== 'string' ? { ...piece, reasoning_content: reasoning } : piece;
}

function objectOf(answer: JsonObject): string {
  const choices = Array.isArray(answer.choices) ? (answer.choices as JsonObject[]) : [];
  return choices.some((choice) => choice?.message) ? 'chat.completion' : 'chat.completion.chunk';
}

/** Jina: embeddings, and no list of models. */
export const jina: Differences = { models: false };
