import { z } from 'zod';
import { tokenStatus } from '../constants.ts';
import { limitDefaults, limitFields } from '../limits.ts';
import { longestRunId } from '../runs.ts';
import { drawingModes } from '../tasks.ts';
import {
  bulkResult,
  commaList,
  isOneSelection,
  latestExpiry,
  line,
  oneSelection,
  pageQuery,
  pageView,
  queryNumber,
  queryText,
  rowsOf,
  rowVersion,
} from './common.ts';
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

/** Tokens that are made in one call. */
export const maxTokensAtOnce = 100;

/** Modes of drawing, with commas; '': all of them. */
const drawingModeList = commaList.refine(
  (text) => text === '' || text.split(',').every((mode) => (drawingModes as readonly string[]).includes(mode)),
  { error: `drawing_modes may hold ${drawingModes.join(', ')}` },
);

const editable = {
  name: line.max(30, 'Token name is too long: at most 30 characters'),
  /** Unix seconds; -1 never expires. */
  expired_time: z.int().min(-1).max(latestExpiry),
  remain_quota: quota,
  unlimited_quota: z.boolean(),
  model_limits_enabled: z.boolean(),
  model_limits: commaList,
  allow_ips: addressList.nullable(),
  /** From these no call is taken, whatever `allow_ips` says. */
  deny_ips: addressList.nullable(),
  drawing_modes: drawingModeList.optional(),
  group: line.max(64),
  /** The ceiling, in quota units, that all its runs share that its owner has not opened; 0: none. */
  run_budget: quota.optional(),
  ...limitFields,
};

/** Body of POST /api/token/. */
export const createTokenBody = z.object({
  ...editable,
  name: editable.name.min(1),
  expired_time: editable.expired_time.default(-1).transform((time) => (time === 0 ? -1 : time)),
  remain_quota: quota.default(0),
  unlimited_quota: editable.unlimited_quota.default(false),
  model_limits_enabled: editable.model_limits_enabled.default(false),
  model_limits: editable.model_limits.default(''),
  allow_ips: editable.allow_ips.default(''),
  deny_ips: editable.deny_ips.default(''),
  group: editable.group.default(''),
  ...limitDefaults,
  /** So many alike: the first bears the name, each other the name with six letters or digits behind it. */
  count: z.int().min(1).max(maxTokensAtOnce).optional(),
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

/** `status` is the stored one: 1 enabled, 2 disabled. */
export const listTokensQuery = pageQuery.extend({ keyword: queryText, token: queryText, status: queryNumber, group: queryText });
export type ListTokensQuery = z.infer<typeof listTokensQuery>;

/** The filters of the list as a bulk edit has them; a misspelt one is refused. */
const tokenRows = rowsOf(z.strictObject({ keyword: queryText, token: queryText, status: z.int().min(0).default(0), group: queryText }));

/** Body of PUT /api/token/batch: `set` is put on every token. */
export const patchTokensBody = z
  .object({
    ...tokenRows,
    set: z
      .object({
        status: z.union([z.literal(tokenStatus.enabled), z.literal(tokenStatus.disabled)]),
        expired_time: editable.expired_time,
        unlimited_quota: editable.unlimited_quota,
        model_limits_enabled: editable.model_limits_enabled,
        model_limits: editable.model_limits,
        allow_ips: editable.allow_ips,
        deny_ips: editable.deny_ips,
        group: editable.group,
        ...limitFields,
      })
      .partial()
      .refine((set) => Object.keys(set).length > 0, 'nothing to change'),
  })
  .refine(isOneSelection, oneSelection);
export type PatchTokensBody = z.infer<typeof patchTokensBody>;

/** Body of POST /api/token/batch: the tokens to delete. */
export const deleteTokensBody = z.object(tokenRows).refine(isOneSelection, oneSelection);
export type DeleteTokensBody = z.infer<typeof deleteTokensBody>;

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
  deny_ips: z.string(),
  drawing_modes: z.string(),
  group: z.string(),
  run_budget: z.number(),
  /** Of a child token, the token that it spends from; 0: it is no child. */
  parent_id: z.number(),
  ...limitFields,
  version: z.number(),
});
export type TokenView = z.infer<typeof tokenView>;

const dollars = z.number().min(0).max(1e9);

/** Body of POST /api/token/child. The parent's key is in `Authorization`. */
export const createChildBody = z.object({
  name: editable.name.min(1),
  /** Of those that the parent may call; missing: all of them. */
  models: z.array(line.min(1).max(128)).min(1).max(100).optional(),
  /** What it may spend in all, in US dollars. */
  budget: dollars.optional(),
  life_seconds: z
    .int()
    .min(1)
    .max(366 * 86_400)
    .optional(),
  /** The run of all its calls. */
  run_id: z.string().min(1).max(longestRunId).optional(),
  /** In US dollars: opens that run, unless it is open. */
  run_budget: dollars.optional(),
});
export type CreateChildBody = z.infer<typeof createChildBody>;

export const childToken = z.object({
  id: z.number(),
  /** With its `sk-`. */
  key: z.string(),
  name: z.string(),
  parent_id: z.number(),
  models: z.array(z.string()),
  run_id: z.string(),
  /** Unix seconds; -1 never expires. */
  expired_time: z.number(),
});
export type ChildToken = z.infer<typeof childToken>;

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
    summary: 'Makes a token; with a `count`, as many, and answers them as a list',
    access: 'user',
    body: createTokenBody,
    answer: z.union([tokenView, z.array(tokenView)]),
    example: { body: { name: 'laptop', remain_quota: 500_000, group: 'default' } },
  }),
  'POST /api/token/child': route({
    summary: 'Makes a child token with the key of its parent: fewer models, a budget, a shorter life',
    access: 'anyone',
    csrfExempt: true,
    anyHost: true,
    forAnySite: true,
    body: createChildBody,
    answer: childToken,
    needs: 'the key of a token in Authorization',
    example: { body: { name: 'worker', budget: 0.5, life_seconds: 3600 } },
  }),
  'PUT /api/token/batch': route({
    summary: 'Changes many of the own tokens alike: those named, or all that a filter leaves',
    access: 'user',
    body: patchTokensBody,
    answer: bulkResult,
    undoable: true,
    example: { body: { ids: [1], set: { status: tokenStatus.disabled } } },
  }),
  'POST /api/token/batch': route({
    summary: 'Deletes many of the own tokens; answers how many',
    access: 'user',
    body: deleteTokensBody,
    answer: z.number(),
    undoable: true,
    example: { body: { ids: [1] } },
  }),
  'PUT /api/token': route({
    summary: 'Changes what the body names of one of the own tokens',
    access: 'user',
    query: updateTokenQuery,
    body: updateTokenBody,
    answer: tokenView,
    example: { body: { id: 1, name: 'desk' } },
  }),
  'DELETE /api/token/:id': route({
    summary: 'Deletes one of the own tokens',
    access: 'user',
    undoable: true,
    example: { params: { id: 1 } },
  }),
};
