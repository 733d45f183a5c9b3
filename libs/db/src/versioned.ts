import { Schema } from 'mongoose';

/**
 * What a row that several people edit knows of its changes: how many there were, and with which of them each field changed last. By
 * it an edit of a stale form is told from one of a field that nobody else touched. Money and what is measured do not count.
 */
export const versioned = {
  version: { type: Number, default: 0 },
  changes: { type: Schema.Types.Mixed },
};
