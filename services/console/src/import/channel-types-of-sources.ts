import { withoutEndSlashes } from '@tollgate/contracts';
import type { Product } from './product.ts';

interface TypeHere {
  type: number;
  /** Where the channel names none. */
  baseUrl?: string;
  /** `full-url`: our type takes the whole URL of chat completions. `with-version`: the base URL of the source ends in `/v1`, ours does not. */
  form?: 'full-url' | 'with-version';
}

const same = (...types: number[]): [number, TypeHere][] => types.map((type) => [type, { type }]);
const openai = (type: number, baseUrl?: string): [number, TypeHere] => [type, { type: 1, ...(baseUrl !== undefined && { baseUrl }) }];

/** https://github.com/songquanpeng/one-api/blob/main/relay/channeltype/define.go and url.go, as of 0.6.11-alpha.22 (2026-11-26) */
const oneApi = new Map<number, TypeHere>([
  ...same(1, 3, 11, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25, 31, 33),
  ...[2, 4, 5, 6, 7, 8, 9, 10, 12, 13].map((type) => openai(type)),
  [16, { type: 26 }], // glm models go to the API v4 there
  openai(26, 'https://api.baichuan-ai.com'),
  [27, { type: 35 }],
  [28, { type: 42 }],
  openai(29, 'https://api.groq.com/openai'),
  [30, { type: 4 }],
  openai(32, 'https://api.stepfun.com'),
  [35, { type: 34 }],
  [36, { type: 43 }],
  [37, { type: 39 }],
  openai(39, 'https://api.together.xyz'),
  [40, { type: 45 }],
  [41, { type: 8, baseUrl: 'https://api.novita.ai/v3/openai', form: 'full-url' }],
  [42, { type: 41 }],
  [44, { type: 40 }],
  [45, { type: 48 }],
  [47, { type: 46 }],
  openai(48, 'https://spark-api-open.xf-yun.com'),
  openai(49, 'https://dashscope.aliyuncs.com/compatible-mode'),
  [50, { type: 1, form: 'with-version' }],
  [51, { type: 8, baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', form: 'full-url' }],
]);

/** https://github.com/QuantumNous/new-api/blob/main/constant/channel.go, as of 2026-08-08 */
const newApi = new Map<number, TypeHere>([
  ...same(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 31),
  ...same(33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48),
  openai(60),
]);

/** Our type for a channel type of the source, and its base URL; undefined where there is none. */
export function typeHere(product: Product, type: number, baseUrl: string): { type: number; baseUrl: string } | undefined {
  const found = (product === 'one-api' ? oneApi : newApi).get(type);
  if (found === undefined) return undefined;
  const address = withoutEndSlashes(baseUrl || found.baseUrl || '');
  if (found.form === 'full-url') return { type: found.type, baseUrl: `${address}/chat/completions` };
  if (found.form !== 'with-version') return { type: found.type, baseUrl: address };
  return address.endsWith('/v1') ? { type: 1, baseUrl: address.slice(0, -3) } : { type: 8, baseUrl: `${address}/chat/completions` };
}
