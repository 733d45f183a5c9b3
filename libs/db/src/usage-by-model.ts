import { type InferSchemaType, model, Schema } from 'mongoose';

/**
 * Roll-up of the log for everybody's dashboard: hour x model, so that a month is some thousand rows however many users there are.
 * `_id` is both joined; `marks` are those of `usage_hourly`.
 */
const usageByModelSchema = new Schema(
  {
    _id: { type: String, required: true },
    hour: { type: Date, required: true },
    model: { type: String, required: true },
    requests: { type: Number, default: 0 },
    promptTokens: { type: Number, default: 0 },
    completionTokens: { type: Number, default: 0 },
    quota: { type: Number, default: 0 },
    uncollected: { type: Number, default: 0 },
    marks: { type: Schema.Types.Mixed, default: {} },
  },
  { versionKey: false, minimize: false },
);
usageByModelSchema.index({ hour: -1 });

export type UsageByModelDoc = InferSchemaType<typeof usageByModelSchema>;
export const UsageByModel = model('UsageByModel', usageByModelSchema, 'usage_by_model');
