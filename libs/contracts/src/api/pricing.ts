import { z } from 'zod';
import { route } from './route.ts';

/** What one model costs: GET /api/pricing. */
export const pricingRow = z.object({
  model_name: z.string(),
  /** 0 by usage, 1 by the call. */
  quota_type: z.union([z.literal(0), z.literal(1)]),
  model_ratio: z.number(),
  /** US dollars a call, when `quota_type` is 1. */
  model_price: z.number(),
  completion_ratio: z.number(),
  /** Whose price it is: set by the operator, one of the defaults, or the model catalog's. `unpriced`: what unpriced models cost here. */
  price_origin: z.enum(['operator', 'default', 'catalog', 'unpriced']),
  /** Of a price of the catalog: where it was read, and when. */
  price_source: z.string().optional(),
  price_read: z.string().optional(),
  /** Tokens, where they are known. */
  context_tokens: z.number().optional(),
  max_output_tokens: z.number().optional(),
  owner_by: z.string(),
  enable_groups: z.array(z.string()),
});
export type PricingRow = z.infer<typeof pricingRow>;

/** The answer of GET /api/pricing; it stands beside `success`, as the product family has it. */
export const pricingView = z.object({
  data: z.array(pricingRow),
  group_ratio: z.record(z.string(), z.number()),
  usable_group: z.record(z.string(), z.string()),
});
export type PricingView = z.infer<typeof pricingView>;

/** Groups that a user may use, by name: GET /api/user/self/groups. */
export const userGroupsView = z.record(z.string(), z.object({ ratio: z.number(), desc: z.string() }));
export type UserGroupsView = z.infer<typeof userGroupsView>;

const names = z.array(z.string());

export const pricingRoutes = {
  'GET /api/pricing': route({
    summary: 'What every offered model costs, with the groups that the visitor may use',
    access: 'visitor',
    csrfExempt: true,
    beside: pricingView,
  }),
  'GET /api/models': route({
    summary: 'The models that each channel type usually has',
    access: 'user',
    answer: z.record(z.string(), names),
  }),
  'GET /api/group': route({ summary: 'The names of all groups', access: 'admin', answer: names }),
  'GET /api/user/groups': route({
    summary: 'The groups that everybody may use',
    access: 'anyone',
    csrfExempt: true,
    answer: userGroupsView,
  }),
  'GET /api/user/self/groups': route({ summary: 'The groups that one may use', access: 'user', answer: userGroupsView }),
  'GET /api/user/models': route({ summary: 'The models that one may call', access: 'user', answer: names }),
};
