import type { LogText } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import type { RowOf } from './row-of.ts';
import type { Marks } from './usage-counts.ts';

/**
 * A user's money. `_id` is the user id. Written by billing (charges, under the watermark in `marks`) and by `wallet.post` (ledger entries,
 * under the guard in `applied`). Both change `balance` only by `$inc` and never write a value read earlier.
 */
const walletSchema = new Schema(
  {
    _id: { type: Number, required: true },
    balance: { type: Number, required: true, default: 0 },
    usedQuota: { type: Number, default: 0 },
    requests: { type: Number, default: 0 },
    /** Increases with every change. Redis accepts a balance only with a newer version. */
    version: { type: Number, default: 0 },
    /** `<epoch>_<partition>` -> the offset of the last event charged. */
    marks: { type: Schema.Types.Mixed, default: {} },
    /** Recent decisions on ledger entries, so that deciding one again changes nothing. `refused` ones moved no money. */
    applied: { type: [{ _id: false, id: String, at: Date, refused: Boolean }], default: [] },
    /** Charges that the balance did not cover and that are not yet on their log rows. */
    shortfalls: { type: [{ _id: false, id: String, uncollected: Number }], default: [] },
  },
  { versionKey: false, minimize: false },
);

type WalletDoc = InferSchemaType<typeof walletSchema>;
export type WalletRow = RowOf<
  WalletDoc,
  keyof WalletDoc,
  {
    marks: Marks;
    applied: { id: string; at: Date; refused?: boolean }[];
    shortfalls: { id: string; uncollected: number }[];
  }
>;
export const WalletModel = model('Wallet', walletSchema, 'wallets');

/** What a token may still spend and has spent. `_id` is the token id. `remain` of an unlimited token is meaningless. */
const tokenWalletSchema = new Schema(
  {
    _id: { type: Number, required: true },
    userId: { type: Number, required: true },
    remain: { type: Number, required: true, default: 0 },
    used: { type: Number, default: 0 },
    version: { type: Number, default: 0 },
    marks: { type: Schema.Types.Mixed, default: {} },
    /** As for wallets: recent refunds to this token. */
    applied: { type: [{ _id: false, id: String, at: Date }], default: [] },
    accessedAt: { type: Date, default: null },
  },
  { versionKey: false, minimize: false },
);

type TokenWalletDoc = InferSchemaType<typeof tokenWalletSchema>;
export type TokenWalletRow = RowOf<
  TokenWalletDoc,
  keyof TokenWalletDoc,
  { marks: Marks; applied: { id: string; at: Date }[]; accessedAt: Date | null }
>;
export const TokenWalletModel = model('TokenWallet', tokenWalletSchema, 'token_wallets');

/** One change of one wallet other than usage. Only `state` is ever updated. `_id` derives from the fact, e.g. `redeem:<code>`. */
const ledgerEntrySchema = new Schema(
  {
    _id: { type: String, required: true },
    userId: { type: Number, required: true },
    amount: { type: Number, required: true },
    reason: { type: String, required: true },
    state: { type: String, enum: ['pending', 'applied', 'refused'], required: true },
    at: { type: Date, required: true },
    /** Maximum balance afterwards. */
    most: { type: Number },
    /** The token that also receives the amount. */
    tokenId: { type: Number },
    /** The log row of the entry. */
    log: { type: Schema.Types.Mixed },
  },
  { versionKey: false },
);
ledgerEntrySchema.index({ userId: 1, at: -1 });
ledgerEntrySchema.index({ state: 1, at: 1 });

type LedgerEntryDoc = InferSchemaType<typeof ledgerEntrySchema>;
export type LedgerRow = RowOf<
  LedgerEntryDoc,
  '_id' | 'userId' | 'amount' | 'reason' | 'state' | 'at',
  { log: { type: 1 | 3 | 4; username?: string; content?: string; text?: LogText; quota?: number } }
>;
export const LedgerEntry = model('LedgerEntry', ledgerEntrySchema, 'ledger_entries');
