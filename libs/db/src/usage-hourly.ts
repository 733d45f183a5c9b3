import { type InferSchemaType, model, Schema } from 'mongoose';

/**
 * Roll-up of the log: hour x user x model x channel x token x group. `_id` is those parts joined; `mark` is
 * the offset of the last event counted, one per `<epoch>_<partition>`.
 */
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
    requests: { type: Number, default: 0 },
    promptTokens: { type: Number, default: 0 },
    completionTokens: { type: Number, default: 0 },
    quota: { type: Number, default: 0 },
    uncollected: { type: Number, default: 0 },
    marks: { type: Schema.Types.Mixed, default: {} },
  },
  { versionKey: false, minimize: false },
);
usageHourlySchema.index({ userId: 1, hour: -1 });
usageHourlySchema.index({ hour: -1 });

export type UsageHourlyDoc = InferSchemaType<typeof usageHourlySchema>;
export const UsageHourly = model('UsageHourly', usageHourlySchema, 'usage_hourly');
