import type { BillItem, BudgetUse, FailedAttempt, LogText, PassedOver, UsageRecorded } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import type { RowOf } from './row-of.ts';
import type { StoredPrice, StoredUsage } from './stored-bill.ts';

/**
 * The usage log. `_id` is the request id of a call, or the id of the ledger entry. Calls have the bus coordinates of their event, which
 * distinguish a redelivery from an event published twice.
 */
const usageLogSchema = new Schema(
  {
    _id: { type: String, required: true },
    /** 1 top-up, 2 consumption, 3 management, 4 system. */
    type: { type: Number, required: true },
    at: { type: Date, required: true },
    userId: { type: Number, required: true },
    username: { type: String, default: '' },
    tokenId: { type: Number, default: 0 },
    tokenName: { type: String, default: '' },
    group: { type: String, default: '' },
    model: { type: String, default: '' },
    upstreamModel: { type: String, default: '' },
    mode: { type: String, default: '' },
    channelId: { type: Number, default: 0 },
    channelName: { type: String, default: '' },
    /** Which of the channel's keys was used, where it has several. */
    keyId: { type: Number },
    /** `affinity` of the usage event. */
    affinity: { type: Schema.Types.Mixed },
    /** `attempts` and `passedOver` of the usage event. */
    attempts: { type: Schema.Types.Mixed },
    passedOver: { type: Schema.Types.Mixed },
    triedChannels: { type: [Number], default: undefined },
    isStream: { type: Boolean, default: false },
    durationMs: { type: Number, default: 0 },
    firstTokenMs: { type: Number, default: -1 },
    promptTokens: { type: Number, default: 0 },
    completionTokens: { type: Number, default: 0 },
    /** Read with `usageOfRow`, and the price with `priceOfRow`: common values are omitted. */
    usage: { type: Schema.Types.Mixed },
    usageSource: { type: String },
    endReason: { type: String },
    price: { type: Schema.Types.Mixed },
    /** For a call with more than token usage: the items of its fixed price (`billItem` of the contracts). */
    items: { type: Schema.Types.Mixed },
    /** The audio part of cached input. */
    cachedAudio: { type: Number },
    quota: { type: Number, default: 0 },
    uncollected: { type: Number, default: 0 },
    reasoningEffort: { type: String },
    /** Changes made to the request before it was forwarded. */
    changes: { type: [String], default: undefined },
    /** For a response within a realtime session. */
    sessionId: { type: String },
    /** The buckets of budgets that the call counts in (`budgetUse` of the contracts). */
    budgets: { type: Schema.Types.Mixed },
    content: { type: String, default: '' },
    /** Instead of `content`: a code and its values (`logTexts` of the contracts), shown in the reader's language. */
    text: { type: Schema.Types.Mixed },
    /** For a refund: the call whose charge it refunds. Its quota is negative, so that rows add up to what was charged. */
    refundOf: { type: String },
    /** A row of another gateway's log, by the name of its import: history that neither wallets nor roll-ups count. */
    importedFrom: { type: String },
    /** Kept only to charge the call once: written while `LogConsumeEnabled` is off, and never shown. */
    hidden: { type: Boolean },
    epoch: { type: String },
    partition: { type: Number },
    offset: { type: String },
  },
  { versionKey: false, minimize: false },
);
usageLogSchema.index({ userId: 1, at: -1 });
// The most frequent query of users. Without it, a rarely used model would require scanning all rows of the user.
usageLogSchema.index({ userId: 1, model: 1, at: -1 });
usageLogSchema.index({ at: -1 });
usageLogSchema.index({ channelId: 1, at: -1 });
usageLogSchema.index({ model: 1, at: -1 });
usageLogSchema.index({ tokenName: 1, at: -1 });
usageLogSchema.index({ group: 1, at: -1 });
// Nearly all rows are calls. Indexing only the others keeps searches by type fast at no cost per call.
usageLogSchema.index({ type: 1, at: -1 }, { name: 'top_ups', partialFilterExpression: { type: { $lt: 2 } } });
usageLogSchema.index({ type: 1, at: -1 }, { name: 'management', partialFilterExpression: { type: { $gt: 2 } } });
// The calls of a run or a budget.
usageLogSchema.index({ 'budgets.id': 1, at: -1 }, { partialFilterExpression: { 'budgets.id': { $exists: true } } });
// Not used for lists: shows at once whether hidden rows exist.
usageLogSchema.index({ at: -1 }, { name: 'hidden', partialFilterExpression: { hidden: true } });

export type UsageLogDoc = InferSchemaType<typeof usageLogSchema>;
export type UsageLogRow = RowOf<
  UsageLogDoc,
  '_id' | 'type' | 'at' | 'userId' | 'tokenId' | 'model' | 'channelId' | 'promptTokens' | 'completionTokens' | 'quota' | 'uncollected',
  {
    triedChannels: number[];
    affinity: UsageRecorded['affinity'];
    attempts: FailedAttempt[];
    passedOver: PassedOver[];
    usage: StoredUsage;
    price: StoredPrice;
    items: BillItem[];
    budgets: BudgetUse[];
    text: LogText;
  }
>;
export const UsageLog = model('UsageLog', usageLogSchema, 'usage_logs');
