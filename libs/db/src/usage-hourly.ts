import { type InferSchemaType, model, Schema } from 'mongoose';
import type { RowOf } from './row-of.ts';
import { type Marks, usageCounts } from './usage-counts.ts';

/** Roll-up of the log: hour x user x model x channel x token x group. `_id` joins them. */
const usageHourlySchema = new Schema(
  {
    _id: { type: String, required: true },
    hour: { type: Date, required: true },
    userId: { type: Number, required: true },
    username: { type: String, default: '' },
    model: { type: String, required: true },
    channelId: { type: Number, required: true },
    tokenId: { type: Number, required: true },
    tokenName: { type: String, default: '' },
    group: { type: String, required: true },
    ...usageCounts,
  },
  { versionKey: false, minimize: false },
);
usageHourlySchema.index({ userId: 1, hour: -1 });
usageHourlySchema.index({ hour: -1 });

type UsageHourlyDoc = InferSchemaType<typeof usageHourlySchema>;
export type UsageHourlyRow = RowOf<UsageHourlyDoc, keyof UsageHourlyDoc, { marks: Marks }>;
export const UsageHourly = model('UsageHourly', usageHourlySchema, 'usage_hourly');
