import type { BillItem, LogText } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import type { RowOf } from './row-of.ts';
import type { StoredPrice, StoredUsage } from './stored-bill.ts';

/**
 * The log. `_id` of a call is its request id, of anything else the id of its ledger entry. Calls carry the coordinates of
 * their event on the bus: by them a redelivery is told from a producer's duplicate.
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
    triedChannels: { type: [Number], default: undefined },
    isStream: { type: Boolean, default: false },
    durationMs: { type: Number, default: 0 },
    firstTokenMs: { type: Number, default: -1 },
    promptTokens: { type: Number, default: 0 },
    completionTokens: { type: Number, default: 0 },
    /** Read it with `usageOfRow`, and the price with `priceOfRow`: what is usual is left out. */
    usage: { type: Schema.Types.Mixed },
    usageSource: { type: String },
    endReason: { type: String },
    price: { type: Schema.Types.Mixed },
    /** Of a call that used more than tokens: what its fixed price is made of (`billItem` of the contracts). */
    items: { type: Schema.Types.Mixed },
    /** How much of what was cached was sound. */
    cachedAudio: { type: Number },
    quota: { type: Number, default: 0 },
    uncollected: { type: Number, default: 0 },
    reasoningEffort: { type: String },
    /** What of the request was changed before it went to the provider. */
    changes: { type: [String], default: undefined },
    /** Of an answer within a spoken session. */
    sessionId: { type: String },
    content: { type: String, default: '' },
    /** Instead of `content`: a code and its values (`logTexts` of the contracts), read in anybody's language. */
    text: { type: Schema.Types.Mixed },
    /** Of a refund: the call whose charge it takes back. Its quota is below zero, so that rows add up to what was charged. */
    refundOf: { type: String },
    /** Kept only so that the call is charged once: written while `LogConsumeEnabled` is off, and shown nowhere. */
    hidden: { type: Boolean },
    epoch: { type: String },
    partition: { type: Number },
    offset: { type: String },
  },
  { versionKey: false, minimize: false },
);
usageLogSchema.index({ userId: 1, at: -1 });
// What a user asks most often; without it a model that he uses rarely would be looked for among all his rows.
usageLogSchema.index({ userId: 1, model: 1, at: -1 });
usageLogSchema.index({ at: -1 });
usageLogSchema.index({ channelId: 1, at: -1 });
usageLogSchema.index({ model: 1, at: -1 });
usageLogSchema.index({ tokenName: 1, at: -1 });
usageLogSchema.index({ group: 1, at: -1 });
// Nearly all rows are calls: only the others are worth finding by type, and an index of them alone costs a call nothing.
usageLogSchema.index({ type: 1, at: -1 }, { name: 'top_ups', partialFilterExpression: { type: { $lt: 2 } } });
usageLogSchema.index({ type: 1, at: -1 }, { name: 'management', partialFilterExpression: { type: { $gt: 2 } } });
// Nobody lists by it: it says at once whether there are any to leave out.
usageLogSchema.index({ at: -1 }, { name: 'hidden', partialFilterExpression: { hidden: true } });

export type UsageLogDoc = InferSchemaType<typeof usageLogSchema>;
export type UsageLogRow = RowOf<
  UsageLogDoc,
  '_id' | 'type' | 'at' | 'userId' | 'tokenId' | 'model' | 'channelId' | 'promptTokens' | 'completionTokens' | 'quota' | 'uncollected',
  { triedChannels: number[]; usage: StoredUsage; price: StoredPrice; items: BillItem[]; text: LogText }
>;
export const UsageLog = model('UsageLog', usageLogSchema, 'usage_logs');
