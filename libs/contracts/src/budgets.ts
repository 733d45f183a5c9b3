import { z } from 'zod';

/** What a budget counts: money in quota units, requests that were not refused and did not fail, or tokens of prompt and answer. */
export const budgetUnits = ['quota', 'requests', 'tokens'] as const;
export type BudgetUnit = (typeof budgetUnits)[number];

const hour = 3_600_000;
const day = 24 * hour;

/**
 * Rolling windows: their length and that of their sub-buckets, in ms. Usage leaves with its sub-bucket, so it counts at least for the length
 * of the window and at most one sub-bucket longer.
 */
export const rollingWindows = {
  '5h': { lengthMs: 5 * hour, bucketMs: hour / 12 },
  '1d': { lengthMs: day, bucketMs: hour / 2 },
  '7d': { lengthMs: 7 * day, bucketMs: 3 * hour },
  '30d': { lengthMs: 30 * day, bucketMs: 12 * hour },
} as const;
export type RollingWindow = keyof typeof rollingWindows;
export const calendarWindows = ['day', 'week', 'month'] as const;
export type CalendarWindow = (typeof calendarWindows)[number];

/** `5h` to `30d` roll; `day`, `week` (from Monday) and `month` follow the calendar of a time zone; `total` never resets. */
export const budgetWindows = ['5h', '1d', '7d', '30d', 'day', 'week', 'month', 'total'] as const;
export type BudgetWindow = (typeof budgetWindows)[number];

/** `hard` refuses calls, `soft` sends notices, `observe` only counts. */
export const budgetModes = ['hard', 'soft', 'observe'] as const;
export type BudgetMode = (typeof budgetModes)[number];

/** When a bucket of a total budget leaves, in ms: the last date of JavaScript. */
export const neverMs = 8_640_000_000_000_000;

/** The most budgets of one token, one user or one group. */
export const mostBudgets = 10;

/** A bucket of a budget that a call counts in: fixed when the call is reserved, so that settlement and refunds find it. */
export const budgetUse = z.strictObject({
  /** The id of the budget, unique among all; of a run: `run-` and a hash. */
  id: z.string().min(1).max(64),
  unit: z.enum(budgetUnits),
  /** The start of the bucket and when it leaves the window, in ms since 1970. */
  from: z.int().nonnegative(),
  until: z.int().nonnegative().max(neverMs),
});
export type BudgetUse = z.infer<typeof budgetUse>;
