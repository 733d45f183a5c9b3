import { z } from 'zod';
import { headerText } from './api/common.ts';
import { pricedFields } from './request-field-prices.ts';

/** What a stream's rest is worth when its caller leaves: read on for the provider's count, or cut at once. */
export const abortPolicies = ['drain', 'cancel'] as const;

/** Headers that say where a call goes, how its body is cut, or who we are: they are ours alone. */
const ownHeaders = new Set([
  ...['host', 'connection', 'keep-alive', 'upgrade', 'te', 'trailer', 'transfer-encoding', 'expect', 'via', 'forwarded'],
  ...['content-type', 'content-length', 'content-encoding', 'accept-encoding', 'date', 'cookie', 'set-cookie'],
  ...['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'mj-api-secret', 'x-auth-token'],
]);
const ownHeaderFamilies = /^(?:proxy-|x-amz-|x-tc-|x-forwarded-|sec-|:)/;

/** Fields that say what is asked, how it is answered, or what it may cost: they are the caller's, and checked and priced. */
const ownFields = new Set([
  ...['model', 'messages', 'prompt', 'input', 'contents', 'system', 'systemInstruction', 'stream', 'stream_options', 'n', 'best_of'],
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'max_tokens_to_sample', 'thinking', 'thinking_budget'],
  ...['generationConfig', 'generation_config', 'candidateCount', 'anthropic_version', 'header', 'payload', 'parameter'],
  ...['Model', 'Messages', 'Stream', 'InputList', 'requests', 'instances', 'tools'],
]);

const folded = (name: string) =>
  name
    .replace(/[\s[\]]/g, '')
    .toUpperCase()
    .toLowerCase();
const refusedOverrides = new Set([...ownFields, ...pricedFields.map(({ field }) => field)].map(folded));

/** Whether a channel may say this header otherwise than we do. */
export function isOverridableHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return /^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(lower) && !ownHeaders.has(lower) && !ownHeaderFamilies.test(lower);
}

/** Whether a channel may set this top-level field of the bodies that it sends. */
export function isOverridableField(name: string): boolean {
  return name !== '' && !refusedOverrides.has(folded(name)) && name !== '__proto__';
}

const headerOverrides = z
  .record(z.string(), headerText.max(1000))
  .refine((headers) => Object.keys(headers).length <= 50, 'at most 50 headers')
  .superRefine((headers, context) => {
    for (const name of Object.keys(headers).filter((each) => !isOverridableHeader(each))) {
      context.addIssue({ code: 'custom', path: [name], message: 'is a header that a channel may not set' });
    }
  });
const fieldOverrides = z
  .record(z.string(), z.json())
  .refine((fields) => Object.keys(fields).length <= 50, 'at most 50 fields')
  .superRefine((fields, context) => {
    for (const name of Object.keys(fields).filter((each) => !isOverridableField(each))) {
      context.addIssue({ code: 'custom', path: [name], message: 'is a field that a channel may not set' });
    }
  });

/** A channel's extra settings, a JSON text on the wire. */
export const channelSettings = z.strictObject({
  /** Every event of a stream is written anew instead of passed on. */
  force_format: z.boolean().optional(),
  /** Reasoning goes into the content, between marks. */
  thinking_to_content: z.boolean().optional(),
  /** http, https or socks5 address of a proxy for this channel's calls. */
  proxy: z.string().max(500).optional(),
  /** Its provider has OpenAI's Responses: requests in that dialect go on as they came. Left out: as its type says, at the type's own address. */
  responses: z.boolean().optional(),
  /** The provider stores responses, in the upstream account. Default: the gateway stores them, whichever channel answers. */
  stored_responses: z.boolean().optional(),
  on_abort: z.enum(abortPolicies).optional(),
  /** Callers may name what is kept in the upstream account: files by id, buckets, cached contents. */
  account_resources: z.boolean().optional(),
  /** Headers that its calls have besides, or otherwise; never those that say where, how framed, and as whom. */
  header_override: headerOverrides.optional(),
  /** Top-level fields of the bodies that it sends; never those that are asked, answered or priced. */
  param_override: fieldOverrides.optional(),
});
export type ChannelSettings = z.infer<typeof channelSettings>;
