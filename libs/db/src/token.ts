import { tokenStatus } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import { limited } from './limited.ts';
import { versioned } from './versioned.ts';

/** API tokens. What a token may still spend is in `token_wallets`. */
const tokenSchema = new Schema(
  {
    id: { type: Number, required: true },
    userId: { type: Number, required: true },
    name: { type: String, default: '' },
    /** sha256 of the 48 characters, hex: the relay finds tokens by it. */
    keyHash: { type: String, required: true },
    /** The key, sealed for `token:<id>:key`; the owner may copy it. */
    keySealed: { type: String, required: true, select: false },
    status: { type: Number, default: tokenStatus.enabled },
    createdAt: { type: Date, required: true },
    /** null: never. */
    expiresAt: { type: Date, default: null },
    unlimited: { type: Boolean, default: false },
    modelLimitsEnabled: { type: Boolean, default: false },
    modelLimits: { type: [String], default: [] },
    /** Allowed drawing modes (`drawingModes` of the contracts); empty: all. */
    drawingModes: { type: [String], default: [] },
    /** Allowed addresses and CIDR blocks; empty: all. */
    allowIps: { type: [String], default: [] },
    /** Denied addresses and blocks, which take precedence. */
    denyIps: { type: [String], default: [] },
    ...limited,
    /** The token that a child token spends from; null: it is no child. */
    parentId: { type: Number, default: null },
    /** The run of all calls of a child token; '': the run that each call names. */
    runId: { type: String, default: '' },
    /** The ceiling that all unknown runs share, in quota units; 0: none. */
    runBudget: { type: Number, default: 0 },
    /** '': the user's own group. */
    group: { type: String, default: '' },
    deletedAt: { type: Date, default: null },
    ...versioned,
  },
  { versionKey: false },
);
tokenSchema.index({ id: 1 }, { unique: true });
tokenSchema.index({ keyHash: 1 }, { unique: true });
tokenSchema.index({ userId: 1, id: -1 });
tokenSchema.index({ parentId: 1 }, { partialFilterExpression: { parentId: { $gt: 0 } } });

export type TokenDoc = InferSchemaType<typeof tokenSchema>;
export const Token = model('Token', tokenSchema, 'tokens');
