import { z } from 'zod';
import { tokenStatus } from '../constants.ts';
import { commaList, line, pageQuery, queryText, rowVersion } from './common.ts';

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
export interface TokenView {
  id: number;
  user_id: number;
  key: string;
  /** 1 enabled, 2 disabled, 3 expired, 4 exhausted. */
  status: number;
  name: string;
  created_time: number;
  accessed_time: number;
  expired_time: number;
  remain_quota: number;
  /** The same: an edit that sends `remain_quota` back says by it what it has changed. */
  quota_shown: number;
  unlimited_quota: boolean;
  used_quota: number;
  model_limits_enabled: boolean;
  model_limits: string;
  allow_ips: string;
  group: string;
  version: number;
}
