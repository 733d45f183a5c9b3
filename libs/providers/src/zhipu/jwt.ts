import { createHmac } from 'node:crypto';

const lifetimeMs = 86_400_000;

/**
 * Zhipu's own kind of JWT: its times are in milliseconds, and it says `SIGN` where others say their type.
 * Source: https://open.bigmodel.cn/dev/api/http-call/http-auth
 */
export function zhipuJwt(id: string, secret: string, atMs: number): string {
  const head = encoded({ alg: 'HS256', sign_type: 'SIGN' });
  const claims = encoded({ api_key: id, exp: atMs + lifetimeMs, timestamp: atMs });
  const signature = createHmac('sha256', secret).update(`${head}.${claims}`).digest('base64url');
  return `${head}.${claims}.${signature}`;
}

function encoded(part: Record<string, unknown>): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
