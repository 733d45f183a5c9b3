import type { ChannelTypeInfo } from '@tollgate/contracts';
import { readError } from '../error-text.ts';
import { memberOf, modelNames } from '../model-names.ts';
import { picked } from '../objects.ts';
import { joinUrl } from '../openai/url.ts';
import type { JsonObject, Provider } from '../provider.ts';
import { UpstreamError } from '../upstream-error.ts';
import { collectedMessage } from './collected-message.ts';
import { nativeEdits } from './own-edits.ts';
import { encodeRequest, isPdfAddress, modelOf, outputLimit, says } from './request.ts';
import { decodeResponse, decodeStream, errorIn } from './response.ts';
import { readAnthropicUsage } from './usage.ts';

/** Clients of the beta API say so in the query, too; nothing else of a caller's query goes on. */
function isBeta(query: string | undefined): boolean {
  return query !== undefined && new URLSearchParams(query).get('beta') === 'true';
}

/** What a prompt is counted by. Source: https://docs.anthropic.com/en/api/messages-count-tokens */
const countedFields = [
  ...['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'mcp_servers', 'cache_control'],
  ...['output_config', 'output_format', 'context_management'],
];

/** Anthropic's Messages API. */
export function anthropic(info: ChannelTypeInfo): Provider {
  return {
    baseUrl: info.defaultBaseUrl,
    pricedFields: info.pricedFields,
    headers: ({ key }) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    error(answer, key) {
      const error = readError(answer, key);
      // An empty account is told as a bad request; every other channel would do.
      if (!/credit balance is too low/i.test(error.message)) return error;
      return new UpstreamError({ ...error, kind: 'balance', message: error.message });
    },
    chat: {
      speaks: 'anthropic',
      url: (_request, { baseUrl, query }) => joinUrl(baseUrl, '/v1/messages', isBeta(query) ? { query: 'beta=true' } : {}),
      readsAddress: (url, isSame) => isSame || isPdfAddress(url),
      modelOf,
      outputLimit,
      says,
      encodeRequest,
      nativeEdits,
      decodeResponse,
      decodeStream,
      collect: collectedMessage,
      usageIn: (answer) => readAnthropicUsage(answer.usage as JsonObject | null | undefined),
      errorIn,
      counts: {
        url: (target) => joinUrl(target.baseUrl, '/v1/messages/count_tokens'),
        body: (sent) => picked(sent, countedFields),
        tokensIn: ({ input_tokens: tokens }) => tokens,
      },
    },
    models: {
      url: (target) => joinUrl(target.baseUrl, '/v1/models?limit=1000'),
      decode: (body) => modelNames(memberOf(body, 'data'), 'id'),
    },
  };
}
