import type { JsonObject } from '../provider.ts';
import type { Differences } from './compatible.ts';
import { refuseFiles } from './file-parts.ts';

/** DeepSeek: words and images, no documents (https://api-docs.deepseek.com/api/create-chat-completion); completions, and chats that go on from a prefix, stand under `/beta`. */
export const deepseek: Differences = {
  url: ({ mode, task, request, target }) => {
    if (mode === 'completions') return `${target.baseUrl}/beta/${task}`;
    return hasPrefixMessage(request) ? `${target.baseUrl}/beta/${task}` : undefined;
  },
  chatEdits: (request) => {
    refuseFiles(request);
    return undefined;
  },
  models: { url: (target) => `${target.baseUrl}/models` },
  balance: {
    urls: (target) => [`${target.baseUrl}/user/balance`],
    decode: ([body]) => {
      const infos = ((body as JsonObject).balance_infos ?? []) as JsonObject[];
      // One for each currency that the account has been in.
      const told = infos.find((info) => Number(info.total_balance) > 0) ?? infos[0];
      return { amount: Number(told?.total_balance), currency: told?.currency === 'USD' ? 'USD' : 'CNY' };
    },
  },
};

function hasPrefixMessage(request: JsonObject): boolean {
  const last = Array.isArray(request.messages) ? (request.messages.at(-1) as JsonObject | undefined) : undefined;
  return last?.prefix === true;
}
