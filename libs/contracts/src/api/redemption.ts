import { z } from 'zod';
import { redemptionStatus } from '../constants.ts';
import { line, pageQuery, pageView, queryText, rowVersion } from './common.ts';
import { route } from './route.ts';

/** Codes that are made in one call. */
export const maxCodesAtOnce = 100;

const name = line.min(1).max(20);
const quota = z.int().min(1).max(1e15);

/** Body of POST /api/redemption/. Codes without a name are named after what they are worth. */
export const createRedemptionsBody = z.object({
  name: line.max(20).default(''),
  quota,
  count: z.int().min(1).max(maxCodesAtOnce).default(1),
});
export type CreateRedemptionsBody = z.infer<typeof createRedemptionsBody>;

/** Body of PUT /api/redemption/: only what is there changes. That a code is used (3) nobody can say; it changes nothing. */
export const updateRedemptionBody = z.object({
  id: z.int().positive(),
  version: rowVersion,
  name: name.optional(),
  quota: quota.optional(),
  status: z
    .union([z.literal(redemptionStatus.unused), z.literal(redemptionStatus.disabled), z.literal(redemptionStatus.used)])
    .transform((status) => (status === redemptionStatus.used ? undefined : status))
    .optional(),
});
export type UpdateRedemptionBody = z.infer<typeof updateRedemptionBody>;

/** `keyword`: an id, a part of a name, or a whole code. */
export const listRedemptionsQuery = pageQuery.extend({ keyword: queryText });
export type ListRedemptionsQuery = z.infer<typeof listRedemptionsQuery>;

/** A code as administrators see it. */
export const redemptionView = z.object({
  id: z.number(),
  /** Who made it. */
  user_id: z.number(),
  key: z.string(),
  /** 1 unused, 2 disabled, 3 used. */
  status: z.number(),
  name: z.string(),
  quota: z.number(),
  created_time: z.number(),
  /** 0: not yet. */
  redeemed_time: z.number(),
  /** 0: nobody. */
  used_user_id: z.number(),
  used_username: z.string(),
  /** Always 0: clients of the product family expect the field. */
  count: z.literal(0),
  version: z.number(),
});
export type RedemptionView = z.infer<typeof redemptionView>;

export const redeemBody = z.object({ key: z.string().trim().min(1).max(64) });
export type RedeemBody = z.infer<typeof redeemBody>;

/** `status_only`: of the body only the status counts. */
const updateRedemptionQuery = z.object({ status_only: queryText });

export const redemptionRoutes = {
  'POST /api/user/topup': route({
    summary: 'Redeems a code; answers the quota that it gave',
    access: 'user',
    body: redeemBody,
    answer: z.number(),
    example: { body: { key: 'code-of-redemption-1' } },
  }),
  'GET /api/redemption': route({
    summary: 'Redemption codes, the newest first',
    access: 'admin',
    query: pageQuery,
    answer: pageView(redemptionView),
  }),
  'GET /api/redemption/search': route({
    summary: 'Redemption codes by id, a part of their name, or the whole code',
    access: 'admin',
    query: listRedemptionsQuery,
    answer: pageView(redemptionView),
    example: { query: { keyword: 'spring' } },
  }),
  'GET /api/redemption/:id': route({
    summary: 'One redemption code',
    access: 'admin',
    answer: redemptionView,
    example: { params: { id: 1 } },
  }),
  'POST /api/redemption': route({
    summary: 'Makes redemption codes; answers them',
    access: 'admin',
    body: createRedemptionsBody,
    answer: z.array(z.string()),
    example: { body: { name: 'spring', quota: 500_000, count: 2 } },
  }),
  'PUT /api/redemption': route({
    summary: 'Changes what the body names of a code that is not used',
    access: 'admin',
    query: updateRedemptionQuery,
    body: updateRedemptionBody,
    answer: redemptionView,
    example: { body: { id: 1, name: 'summer' } },
  }),
  'DELETE /api/redemption/:id': route({
    summary: 'Deletes a redemption code',
    access: 'admin',
    undoable: true,
    example: { params: { id: 1 } },
  }),
};
