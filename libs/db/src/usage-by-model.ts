import { type InferSchemaType, model, Schema } from 'mongoose';
import type { RowOf } from './row-of.ts';
import { type Marks, usageCounts } from './usage-counts.ts';

/**
 * Roll-up of the log for everybody's dashboard: hour x model, so that a month is some thousand rows however many users there are.
 * `_id` is both joined.
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
