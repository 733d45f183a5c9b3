import { Schema } from 'mongoose';

/**
 * Change tracking for rows that several people edit: the number of changes, and the change that last wrote each field. It detects edits
 * from a stale form without rejecting edits of other fields. Money and measurements do not count.
 */
export const versioned = {
  version: { type: Number, default: 0 },
  changes: { type: Schema.Types.Mixed },
};
