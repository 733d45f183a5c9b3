import type { Histogram } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import type { RowOf } from './row-of.ts';
import type { Marks } from './usage-counts.ts';

/** How long a row covers, in ms, and for how long rows are kept, in days. Days are those of UTC. */
export const statsPeriods = {
  minute: { ms: 60_000, keptDays: 3 },
  hour: { ms: 3_600_000, keptDays: 100 },
  day: { ms: 24 * 3_600_000, keptDays: 800 },
} as const;
export type StatsPeriod = keyof typeof statsPeriods;

/** Attempts by channel, requested model and period. Histograms are those of `histogram.ts` in contracts. */
const channelStatsSchema = new Schema(
  {
    _id: { type: String, required: true },
    period: { type: String, enum: Object.keys(statsPeriods), required: true },
    at: { type: Date, required: true },
    channelId: { type: Number, required: true },
    model: { type: String, default: '' },
    attempts: { type: Number, default: 0 },
    /** Failed attempts by kind. */
    failures: { type: Schema.Types.Mixed },
    /** Failed attempts after which another channel was tried. */
    failovers: { type: Number, default: 0 },
    durations: { type: Schema.Types.Mixed },
    firstTokens: { type: Schema.Types.Mixed },
    outputTokens: { type: Number, default: 0 },
    generationMs: { type: Number, default: 0 },
    marks: { type: Schema.Types.Mixed },
  },
  { versionKey: false, minimize: false },
);
channelStatsSchema.index({ channelId: 1, period: 1, at: -1 });
channelStatsSchema.index({ period: 1, at: -1 });

/** The `_id` of the row that a moment falls into. */
export function channelStatsId(
  period: StatsPeriod,
  atMs: number,
  { channelId, model: name }: { channelId: number; model: string },
): string {
  return `${period}|${Math.floor(atMs / statsPeriods[period].ms)}|${channelId}|${name}`;
}

type ChannelStatsDoc = InferSchemaType<typeof channelStatsSchema>;
export type ChannelStatsRow = RowOf<
  ChannelStatsDoc,
  '_id' | 'period' | 'at' | 'channelId' | 'model' | 'attempts',
  { period: StatsPeriod; failures: Record<string, number>; durations: Histogram; firstTokens: Histogram; marks: Marks }
>;
export const ChannelStats = model('ChannelStats', channelStatsSchema, 'channel_stats');
