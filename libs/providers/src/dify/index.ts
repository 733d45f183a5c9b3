import type { ChannelTypeInfo } from '@tollgate/contracts';
import { readError } from '../error-text.ts';
import { bearer } from '../openai/compatible.ts';
import { joinUrl } from '../openai/url.ts';
import type { Provider } from '../provider.ts';
import { encodeRequest } from './request.ts';
import { decodeResponse, decodeStream, errorIn, usageIn } from './response.ts';

/** Dify's apps for chats and agents; these know no other way than to stream. Source: https://docs.dify.ai/api-reference/chat/send-chat-message */
export function dify(info: ChannelTypeInfo): Provider {
  return {
    baseUrl: info.defaultBaseUrl,
    headers: bearer,
    error: readError,
    chat: {
      speaks: 'own',
      url: (_request, target) => joinUrl(target.baseUrl, '/v1/chat-messages'),
      streamsOnly: true,
      says: new Set(['user']),
      encodeRequest,
      decodeResponse,
      decodeStream,
      usageIn,
      errorIn,
    },
  };
}
