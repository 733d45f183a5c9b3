import type { UsagePart } from '@tollgate/db';

/** A value that does not match its sources, in quota (`answers` in calls); `expected` is what `found` should be. User 0: the total of all users. */
export interface Difference {
  userId: number;
  what: 'balance' | 'usedQuota' | 'hour' | 'answers' | UsagePart;
  found: number;
  expected: number;
}
