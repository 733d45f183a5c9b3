import { createHash, createHmac } from 'node:crypto';
import { keyParts } from '../key-parts.ts';
import type { SignedParts, UnsignedCall } from '../provider.ts';

/** Signed for whichever address the channel names: what stands there passes it on. */
const host = 'hunyuan.tencentcloudapi.com';
const service = 'hunyuan';
const contentType = 'application/json';
const signedHeaders = 'content-type;host;x-tc-action';

/** Signature TC3. Source: https://cloud.tencent.com/document/api/1729/101842 */
export function signTc3({ body, target, atMs }: UnsignedCall, { type, action }: { type: number; action: string }): SignedParts {
  const [, secretId = '', secretKey = ''] = keyParts(type, target.key);
  const seconds = String(Math.floor(atMs / 1000));
  const date = new Date(atMs).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const heads = `content-type:${contentType}\nhost:${host}\nx-tc-action:${action.toLowerCase()}\n`;
  const canonical = `POST\n/\n\n${heads}\n${signedHeaders}\n${sha256(body)}`;
  const toSign = `TC3-HMAC-SHA256\n${seconds}\n${scope}\n${sha256(canonical)}`;
  const key = [date, service, 'tc3_request'].reduce<Buffer | string>((secret, part) => hmac(secret, part).digest(), `TC3${secretKey}`);
  const signature = hmac(key, toSign).digest('hex');
  const authorization = `TC3-HMAC-SHA256 Credential=${secretId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signature}`;
  return { headers: { authorization, host, 'x-tc-action': action, 'x-tc-version': '2023-09-01', 'x-tc-timestamp': seconds } };
}

function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string) {
  return createHmac('sha256', key).update(text);
}
