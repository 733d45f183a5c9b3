import { redemptionStatus } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import { versioned } from './versioned.ts';

/**
 * Codes that are worth money. Who reads the database alone can neither redeem one nor look for one: the code is sealed, and its digest
 * needs the master key.
 */
const redemptionSchema = new Schema(
  {
    id: { type: Number, required: true },
    /** Who made it. */
    userId: { type: Number, required: true },
    name: { type: String, required: true },
    quota: { type: Number, required: true },
    status: { type: Number, default: redemptionStatus.unused },
    /** By it a code is found that somebody types: `sealedDigest(code, 'redemption code')`. */
    keyDigest: { type: String, required: true },
    /** The code, sealed for `redemption:<id>:key`: administrators hand it out. */
    keySealed: { type: String, required: true },
    createdAt: { type: Date, required: true },
    redeemedAt: { type: Date, default: null },
    usedUserId: { type: Number, default: 0 },
    usedUsername: { type: String, default: '' },
    /** It was redeemed, and the ledger does not have it yet. */
    isOwed: { type: Boolean },
    /** How often it was redeemed by somebody whose balance had no room for it. */
    refusals: { type: Number },
    deletedAt: { type: Date, default: null },
    ...versioned,
  },
  { versionKey: false },
);
redemptionSchema.index({ id: 1 }, { unique: true });
redemptionSchema.index({ keyDigest: 1 }, { unique: true });
// The list's own order; a search looks through its keys for the name.
redemptionSchema.index({ deletedAt: 1, id: 1, name: 1 });
// Hardly ever are there any, and all of them are asked for again and again.
redemptionSchema.index({ isOwed: 1 }, { partialFilterExpression: { isOwed: true } });

export type RedemptionDoc = InferSchemaType<typeof redemptionSchema>;
export const Redemption = model('Redemption', redemptionSchema, 'redemptions');
