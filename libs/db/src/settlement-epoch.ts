import { type InferSchemaType, model, Schema } from 'mongoose';

/**
 * The lives of the bus topics that billing has seen. `_id` is the epoch in the coordinates of events. An epoch that another
 * one replaced is closed once every logged call of it is charged; only then may its marks be forgotten.
 */
const settlementEpochSchema = new Schema(
  {
    _id: { type: String, required: true },
    /** Whose life it is. */
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
