import { type InferSchemaType, model, Schema } from 'mongoose';
import type { RowOf } from './row-of.ts';
import { type Marks, usageCounts } from './usage-counts.ts';

/**
 * Roll-up for dashboards over all users: hour x model, so that a month has some thousand rows whatever the number of users. `_id` joins
 * both.
 */
const usageByModelSchema = new Schema(
  {
    _id: { type: String, required: true },
    hour: { type: Date, required: true },
    model: { type: String, required: true },
    ...usageCounts,
  },
  { versionKey: false, minimize: false },
);
usageByModelSchema.index({ hour: -1 });

type UsageByModelDoc = InferSchemaType<typeof usageByModelSchema>;
export type UsageByModelRow = RowOf<UsageByModelDoc, keyof UsageByModelDoc, { marks: Marks }>;
export const UsageByModel = model('UsageByModel', usageByModelSchema, 'usage_by_model');
