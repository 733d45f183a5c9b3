import { z } from 'zod';
import { tokenStatus } from '../constants.ts';
import { commaList, line, pageQuery, pageView, queryText, rowVersion } from './common.ts';
import { route } from './route.ts';

const quota = z.int().min(0).max(1e15);

/** An address or a CIDR block; both kinds of IP. */
export const addressBlock = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

/** One address or block a line; an entry that is neither is refused, not dropped. */
export const addressList = z
  .string()
  .max(10_000)
  .superRefine((text, context) => {
    for (const entry of addressesOf(text)) {
      if (!addressBlock.safeParse(entry).success)
        context.addIssue({ code: 'custom', message: `${entry} is neither an IP address nor a CIDR block` });
    }
  })
  .transform((text) => addressesOf(text).join('\n'));

/** The entries of a stored address list. */
export function addressesOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((entry) => entry !== '');
}

/** The first of January 2100, in unix seconds. */
export const latestExpiry = 4_102_444_800;

const editable = {
  name: line.max(30),
  /** Unix seconds; -1 never expires. */
  expired_time: z.int().min(-1).max(latestExpiry),
  remain_quota: quota,
  unlimited_quota: z.boolean(),
  model_limits_enabled: z.boolean(),
  model_limits: commaList,
  allow_ips: addressList.nullable(),
  group: line.max(64),
};

/** Body of POST /api/token/. */
export const createTokenBody = z.object({
  ...editable,
  expired_time: editable.expired_time.default(-1).transform((time) => (time === 0 ? -1 : time)),
  remain_quota: quota.default(0),
  unlimited_quota: editable.unlimited_quota.default(false),
  model_limits_enabled: editable.model_limits_enabled.default(false),
  model_limits: editable.model_limits.default(''),
  allow_ips: editable.allow_ips.default(''),
  group: editable.group.default(''),
});
export type CreateTokenBody = z.infer<typeof createTokenBody>;

/** Body of PUT /api/token/: only what is there changes. A computed status (3, 4), which clients send back, changes nothing. */
export const updateTokenBody = z.object({
  id: z.int().positive(),
  version: rowVersion,
  /** The `remain_quota` that the form was made on, as the view said. */
  quota_shown: z.int().optional(),
  /** Rather than `remain_quota`: what to add, or to take when it is negative. */
  add_quota: z.int().min(-1e15).max(1e15).optional(),
  ...z.object(editable).partial().shape,
  status: z
    .union([
      z.literal(tokenStatus.enabled),
      z.literal(tokenStatus.disabled),
      z.literal(tokenStatus.expired),
      z.literal(tokenStatus.exhausted),
    ])
    .transform((status) => (status === tokenStatus.enabled || status === tokenStatus.disabled ? status : undefined))
    .optional(),
});
export type UpdateTokenBody = z.infer<typeof updateTokenBody>;

export const listTokensQuery = pageQuery.extend({ keyword: queryText, token: queryText });
export type ListTokensQuery = z.infer<typeof listTokensQuery>;

/** A token as its owner sees it. `key` is without the `sk-`; the owner may copy it at any time. */
export const tokenView = z.object({
  id: z.number(),
  user_id: z.number(),
  key: z.string(),
  /** 1 enabled, 2 disabled, 3 expired, 4 exhausted. */
  status: z.number(),
  name: z.string(),
  created_time: z.number(),
  accessed_time: z.number(),
  expired_time: z.number(),
  remain_quota: z.number(),
  /** The same: an edit that sends `remain_quota` back says by it what it has changed. */
  quota_shown: z.number(),
  unlimited_quota: z.boolean(),
  used_quota: z.number(),
  model_limits_enabled: z.boolean(),
  model_limits: z.string(),
  allow_ips: z.string(),
  group: z.string(),
  version: z.number(),
});
export type TokenView = z.infer<typeof tokenView>;

/** `status_only`: of the body only the status counts. */
const updateTokenQuery = z.object({ status_only: queryText });

export const tokenRoutes = {
  'GET /api/token': route({ summary: 'The own tokens', access: 'user', query: listTokensQuery, answer: pageView(tokenView) }),
  'GET /api/token/search': route({
    summary: 'The own tokens by a part of their name or key',
    access: 'user',
    query: listTokensQuery,
    answer: pageView(tokenView),
    example: { query: { keyword: 'a' } },
  }),
  'GET /api/token/:id': route({ summary: 'One of the own tokens', access: 'user', answer: tokenView, example: { params: { id: 1 } } }),
  'POST /api/token': route({
    summary: 'Makes a token',
    access: 'user',
    body: createTokenBody,
    answer: tokenView,
    example: { body: { name: 'laptop', remain_quota: 500_000, group: 'default' } },
  }),
  'PUT /api/token': route({
    summary: 'Changes what the body names of one of the own tokens',
    access: 'user',
    query: updateTokenQuery,
    body: updateTokenBody,
    answer: tokenView,
    example: { body: { id: 1, name: 'desk' } },
  }),
  'DELETE /api/token/:id': route({ summary: 'Deletes one of the own tokens', access: 'user', example: { params: { id: 1 } } }),
};
