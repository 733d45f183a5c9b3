import type { UsagePart } from '@tollgate/db';

/** What is not as its sources say. All in quota; `expected` is what `found` should be. User 0: what all users had together. */
export interface Difference {
  userId: number;
  what: 'balance' | 'usedQuota' | 'hour' | UsagePart;
  found: number;
  expected: number;
}
