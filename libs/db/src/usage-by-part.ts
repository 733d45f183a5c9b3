import { type InferSchemaType, model, Schema } from 'mongoose';
import type { RowOf } from './row-of.ts';
import { type Marks, usageCounts } from './usage-counts.ts';

/** What everybody's usage is counted by, besides models. A token's rows name its user, so that they add up to his. */
export const usageParts = ['channel', 'group', 'token', 'tokenName'] as const;
export type UsagePart = (typeof usageParts)[number];

/**
 * Roll-up of the log for everybody's dashboard: hour x group, day x channel, and day x token; and for everybody's sums, day x name of a
 * token, which many tokens may have. There are few groups and many of the others, so that a month stays some thousand rows. `_id` is the
 * part's letter, the period and who it is.
 */
const usageByPartSchema = new Schema(
  {
    _id: { type: String, required: true },
    by: { type: String, enum: usageParts, required: true },
    /** The begin of the hour or of the day (UTC). */
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

/** The `_id` of a part's row of the period that a moment is in. */
export const usagePartId = {
  group: (at: Date, group: string): string => `g|${Math.floor(at.getTime() / hourMs)}|${group}`,
  channel: (at: Date, channelId: number): string => `c|${Math.floor(at.getTime() / hourMs / 24)}|${channelId}`,
  token: (at: Date, userId: number, tokenId: number): string => `t|${Math.floor(at.getTime() / hourMs / 24)}|${userId}|${tokenId}`,
  tokenName: (at: Date, tokenName: string): string => `n|${Math.floor(at.getTime() / hourMs / 24)}|${tokenName}`,
};

type UsageByPartDoc = InferSchemaType<typeof usageByPartSchema>;
export type UsageByPartRow = RowOf<UsageByPartDoc, '_id' | 'by' | 'at' | keyof typeof usageCounts, { by: UsagePart; marks: Marks }>;
export const UsageByPart = model('UsageByPart', usageByPartSchema, 'usage_by_part');
