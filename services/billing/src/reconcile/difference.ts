import type { UsagePart } from '@tollgate/db';

/** What is not as its sources say. In quota, `answers` in calls; `expected` is what `found` should be. User 0: what all users had together. */
export interface Difference {
  userId: number;
  what: 'balance' | 'usedQuota' | 'hour' | 'answers' | UsagePart;
  found: number;
  expected: number;
}
