import { Schema } from 'mongoose';

/** What every roll-up of the log adds up. `marks`: the offset of the last event counted, one per `<epoch>_<partition>`. */
export const usageCounts = {
  requests: { type: Number, default: 0 },
  promptTokens: { type: Number, default: 0 },
  completionTokens: { type: Number, default: 0 },
  quota: { type: Number, default: 0 },
  uncollected: { type: Number, default: 0 },
  marks: { type: Schema.Types.Mixed, default: {} },
} as const;
