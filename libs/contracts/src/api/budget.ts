import { z } from 'zod';
import { budgetModes, budgetUnits, budgetWindows } from '../budgets.ts';
import { isTimeZone } from '../calendar.ts';
import { line, pageQuery, pageView, queryNumber, queryText } from './common.ts';
import { route } from './route.ts';

const amount = z.int().min(0).max(1e15);
const models = z.array(line.min(1).max(128)).max(100);

export const budgetSubjects = ['token', 'user', 'group'] as const;

const changeable = {
  name: line.min(1).max(60),
  /** In quota units, requests or tokens. */
  amount,
  mode: z.enum(budgetModes),
  /** Empty: all models. A name may end in `*`. */
  models,
};

/** Body of POST /api/budget/. */
export const createBudgetBody = z.object({
  ...changeable,
  subject: z.enum(budgetSubjects),
  /** The id of the token or user, or the name of the group; empty for the caller's own account. */
  subject_id: z.union([z.string().max(64), z.int().positive().transform(String)]).default(''),
  unit: z.enum(budgetUnits).default('quota'),
  window: z.enum(budgetWindows),
  /** IANA name of a time zone, for `day`, `week` and `month`. */
  time_zone: z.string().max(64).refine(isTimeZone, 'unknown time zone').default('UTC'),
  mode: changeable.mode.default('hard'),
  models: models.default([]),
});
export type CreateBudgetBody = z.infer<typeof createBudgetBody>;

/** Body of PUT /api/budget/: only what is there changes. */
export const updateBudgetBody = z.object({ id: z.int().positive(), ...z.object(changeable).partial().shape });
export type UpdateBudgetBody = z.infer<typeof updateBudgetBody>;

/** `near`: only those of which at least so many percent are used. */
export const listBudgetsQuery = pageQuery.extend({ subject: queryText, subject_id: queryText, near: queryNumber });
export type ListBudgetsQuery = z.infer<typeof listBudgetsQuery>;

export const budgetView = z.object({
  id: z.number(),
  name: z.string(),
  subject: z.enum(budgetSubjects),
  subject_id: z.string(),
  /** The owner of the token, or the user; 0 for a group. */
  user_id: z.number(),
  unit: z.enum(budgetUnits),
  amount: z.number(),
  window: z.enum(budgetWindows),
  time_zone: z.string(),
  models: z.array(z.string()),
  mode: z.enum(budgetModes),
  /** Only an administrator may change it. */
  by_admin: z.boolean(),
  created_time: z.number(),
  /** Charged in the current window. Of a group's budget, what the caller used of it. */
  used: z.number(),
  /** By calls that are running or not charged yet. */
  held: z.number(),
  percent: z.number(),
  /** When usage of now leaves the window, in unix seconds; -1: never. */
  reset_time: z.number(),
});
export type BudgetView = z.infer<typeof budgetView>;

/** What was used in one bucket: a window of a calendar, or a part of one that rolls. */
export const budgetBucketView = z.object({ from: z.number(), quota: z.number(), requests: z.number(), tokens: z.number() });
export type BudgetBucketView = z.infer<typeof budgetBucketView>;

/** A user who used much of a budget. */
export const nearBudgetView = z.object({
  budget: z.number(),
  name: z.string(),
  user_id: z.number(),
  username: z.string(),
  used: z.number(),
  amount: z.number(),
  unit: z.enum(budgetUnits),
  percent: z.number(),
});
export type NearBudgetView = z.infer<typeof nearBudgetView>;

const own = { query: listBudgetsQuery, answer: pageView(budgetView) };

export const budgetRoutes = {
  'GET /api/budget/self': route({ summary: 'Budgets that apply to the caller, with what is used of them', access: 'user', ...own }),
  'GET /api/budget': route({ summary: 'Budgets of all users, tokens and groups', access: 'admin', ...own }),
  'GET /api/budget/near': route({
    summary: 'Users who used most of a budget: at least `near` percent, 80 when it is missing',
    access: 'admin',
    query: z.object({ near: queryNumber }),
    answer: z.array(nearBudgetView),
  }),
  'GET /api/budget/:id': route({ summary: 'One budget', access: 'user', answer: budgetView, example: { params: { id: 1 } } }),
  'GET /api/budget/:id/history': route({
    summary: 'What was used of a budget, the newest first: of the caller, or of the user that an administrator names',
    access: 'user',
    query: z.object({ user_id: queryNumber }),
    answer: z.array(budgetBucketView),
    example: { params: { id: 1 } },
  }),
  'POST /api/budget': route({
    summary: 'Creates a budget; users create them for themselves and their tokens',
    access: 'user',
    body: createBudgetBody,
    answer: budgetView,
    example: { body: { name: 'Monthly', subject: 'user', amount: 500_000, window: 'month', time_zone: 'UTC' } },
  }),
  'PUT /api/budget': route({
    summary: 'Changes what the body names of a budget; it counts on',
    access: 'user',
    body: updateBudgetBody,
    answer: budgetView,
    example: { body: { id: 1, amount: 1_000_000 } },
  }),
  'DELETE /api/budget/:id': route({ summary: 'Deletes a budget', access: 'user', example: { params: { id: 1 } } }),
};
