import { keyParts } from '../key-parts.ts';
import { readToken } from '../oauth-answer.ts';
import { joinUrl } from '../openai/url.ts';
import type { TokenExchange } from '../provider.ts';

/** Source: https://cloud.baidu.com/doc/WENXINWORKSHOP/s/Ilkkrb0i5 */
export function baiduToken(type: number): TokenExchange {
  return {
    async ask(target) {
      const [id = '', secret = ''] = keyParts(type, target.key);
      const query = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }).toString();
      return { url: joinUrl(target.baseUrl, '/oauth/2.0/token', { query }), headers: { 'content-type': 'application/json' }, body: '' };
    },
    read: readToken,
    isSpent: ({ code }) => code === 110 || code === 111,
  };
}
