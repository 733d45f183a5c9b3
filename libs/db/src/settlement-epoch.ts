import { type InferSchemaType, model, Schema } from 'mongoose';

/**
 * The epochs of bus topics that billing has seen; `_id` is the epoch of event coordinates. A replaced epoch is closed when all its logged
 * calls are charged. Its marks must be kept until then.
 */
const settlementEpochSchema = new Schema(
  {
    _id: { type: String, required: true },
    /** The topic of the epoch. */
    topic: { type: String, default: 'usage.recorded' },
    firstSeenAt: { type: Date, required: true },
    lastSeenAt: { type: Date, required: true },
    closedAt: { type: Date, default: null },
    forgottenAt: { type: Date, default: null },
  },
  { versionKey: false },
);

export type SettlementEpochDoc = InferSchemaType<typeof settlementEpochSchema>;
export const SettlementEpoch = model('SettlementEpoch', settlementEpochSchema, 'settlement_epochs');
