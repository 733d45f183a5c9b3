import { createHmac } from 'node:crypto';
import { keyParts } from '../key-parts.ts';
import type { SignedParts, UnsignedCall } from '../provider.ts';

/** The address proves the key. Source: https://www.xfyun.cn/doc/spark/general_url_authentication.html */
export function signSpark({ url, target, atMs }: UnsignedCall, type: number): SignedParts {
  const [, apiSecret = '', apiKey = ''] = keyParts(type, target.key);
  const { host, pathname } = new URL(url);
  const date = new Date(atMs).toUTCString();
  const origin = `host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`;
  const signature = createHmac('sha256', apiSecret).update(origin).digest('base64');
  const words = `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  const authorization = Buffer.from(words).toString('base64');
  return {
    url: `${url}?authorization=${encodeURIComponent(authorization)}&date=${encodeURIComponent(date)}&host=${encodeURIComponent(host)}`,
  };
}
