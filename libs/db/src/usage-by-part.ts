import { type InferSchemaType, model, Schema } from 'mongoose';
import type { RowOf } from './row-of.ts';
import { type Marks, usageCounts } from './usage-counts.ts';

/** The dimensions of usage over all users, besides models. A token's rows include its user, so that they add up per user. */
export const usageParts = ['channel', 'group', 'token', 'tokenName'] as const;
export type UsagePart = (typeof usageParts)[number];

/**
 * Roll-up for dashboards over all users: hour x group, day x channel, day x token, and day x token name (which many tokens may share).
 * Dimensions with many values use days, so that a month has some thousand rows. `_id` is the dimension's letter, the period and the value.
 */
const usageByPartSchema = new Schema(
  {
    _id: { type: String, required: true },
    by: { type: String, enum: usageParts, required: true },
    /** The start of the hour or day (UTC). */
    at: { type: Date, required: true },
    channelId: { type: Number },
    group: { type: String },
    tokenId: { type: Number },
    tokenName: { type: String },
    userId: { type: Number },
    ...usageCounts,
  },
  { versionKey: false, minimize: false },
);
usageByPartSchema.index({ by: 1, at: -1 });

const hourMs = 3_600_000;

/** The `_id` of a dimension's row for the period of a time. */
export const usagePartId = {
  group: (at: Date, group: string): string => `g|${Math.floor(at.getTime() / hourMs)}|${group}`,
  channel: (at: Date, channelId: number): string => `c|${Math.floor(at.getTime() / hourMs / 24)}|${channelId}`,
  token: (at: Date, userId: number, tokenId: number): string => `t|${Math.floor(at.getTime() / hourMs / 24)}|${userId}|${tokenId}`,
  tokenName: (at: Date, tokenName: string): string => `n|${Math.floor(at.getTime() / hourMs / 24)}|${tokenName}`,
};

type UsageByPartDoc = InferSchemaType<typeof usageByPartSchema>;
export type UsageByPartRow = RowOf<UsageByPartDoc, '_id' | 'by' | 'at' | keyof typeof usageCounts, { by: UsagePart; marks: Marks }>;
export const UsageByPart = model('UsageByPart', usageByPartSchema, 'usage_by_part');
