import { redemptionStatus } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import { versioned } from './versioned.ts';

/**
 * Redemption codes. Reading the database is not enough to redeem or look up one: the code is sealed, and its digest needs the master key.
 */
const redemptionSchema = new Schema(
  {
    id: { type: Number, required: true },
    /** The creator. */
    userId: { type: Number, required: true },
    name: { type: String, required: true },
    quota: { type: Number, required: true },
    status: { type: Number, default: redemptionStatus.unused },
    /** Finds a code that a user enters: `sealedDigest(code, 'redemption code')`. */
    keyDigest: { type: String, required: true },
    /** The code, sealed for `redemption:<id>:key`; administrators may copy it. */
    keySealed: { type: String, required: true },
    createdAt: { type: Date, required: true },
    redeemedAt: { type: Date, default: null },
    usedUserId: { type: Number, default: 0 },
    usedUsername: { type: String, default: '' },
    /** Redeemed, but not in the ledger yet. */
    isOwed: { type: Boolean },
    /** How often redeeming failed because the balance would exceed its maximum. */
    refusals: { type: Number },
    deletedAt: { type: Date, default: null },
    ...versioned,
  },
  { versionKey: false },
);
redemptionSchema.index({ id: 1 }, { unique: true });
redemptionSchema.index({ keyDigest: 1 }, { unique: true });
// The default order of the list. A search scans its keys for the name.
redemptionSchema.index({ deletedAt: 1, id: 1, name: 1 });
// Rarely matches a row and is queried continuously.
redemptionSchema.index({ isOwed: 1 }, { partialFilterExpression: { isOwed: true } });

export type RedemptionDoc = InferSchemaType<typeof redemptionSchema>;
export const Redemption = model('Redemption', redemptionSchema, 'redemptions');
