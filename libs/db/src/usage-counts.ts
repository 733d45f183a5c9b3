import { Schema } from 'mongoose';

/** `<epoch>_<partition>` -> the offset of the last event counted. */
export type Marks = Record<string, string>;

/** The sums of every roll-up. */
export const usageCounts = {
  requests: { type: Number, default: 0 },
  promptTokens: { type: Number, default: 0 },
  completionTokens: { type: Number, default: 0 },
  quota: { type: Number, default: 0 },
  uncollected: { type: Number, default: 0 },
  marks: { type: Schema.Types.Mixed, default: {} },
} as const;
