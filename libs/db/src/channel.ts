import { channelStatus } from '@tollgate/contracts';
import { type InferSchemaType, model, Schema } from 'mongoose';
import { limited } from './limited.ts';
import type { RowOf } from './row-of.ts';
import type { Marks } from './usage-counts.ts';
import { versioned } from './versioned.ts';

/** What is known of one of several keys; its secret is in `keySecrets`. */
export interface ChannelKeyRow {
  /** Counts up within the channel and is never given twice: logs name it. */
  id: number;
  name: string;
  /** Its last characters; '' where the key is too short to show any. */
  tail: string;
  /** A `channelStatus`. */
  status: number;
  /** Why a rule disabled it. */
  reason: string;
  changedAt: Date;
  createdAt: Date;
}

export interface ChannelKeySecret {
  id: number;
  /** Sealed for `channel:<id>:key`, like `keySealed`. */
  sealed: string;
  /** Like `keyDigest`. */
  digest: string;
}

/** One upstream account. The console writes it, the relay reads it. */
const channelSchema = new Schema(
  {
    id: { type: Number, required: true },
    type: { type: Number, required: true },
    name: { type: String, required: true },
    status: { type: Number, default: channelStatus.enabled },
    /** Sealed for `channel:<id>:key`; only the relay and jobs select it. */
    keySealed: { type: String, required: true, select: false },
    /** A keyed digest of the key, which finds a channel by its whole key. The key cannot be guessed from it. */
    keyDigest: { type: String, select: false },
    /**
     * All keys of a channel that has several; absent or empty: `keySealed` is the only one. `keySealed` is then a copy of the first
     * enabled one, for releases that know of no other.
     */
    keys: { type: Schema.Types.Mixed, default: undefined },
    keySecrets: { type: Schema.Types.Mixed, default: undefined, select: false },
    /** The highest key id that was ever given. */
    lastKeyId: { type: Number },
    /** A `KeyMode` of the contracts. */
    keyMode: { type: String },
    /** '': the type's default. */
    baseUrl: { type: String, default: '' },
    /** API version, region, account id and the like, depending on the type. */
    other: { type: String, default: '' },
    organization: { type: String, default: '' },
    models: { type: [String], required: true },
    groups: { type: [String], required: true },
    modelMapping: { type: String, default: '' },
    statusCodeMapping: { type: String, default: '' },
    testModel: { type: String, default: '' },
    autoBan: { type: Boolean, default: true },
    priority: { type: Number, default: 0 },
    weight: { type: Number, default: 0 },
    tag: { type: String, default: '' },
    /** JSON of `channelSettings`; proxy credentials in it are sealed. */
    setting: { type: String, default: '' },
    /** 0: no limit. */
    maxInputTokens: { type: Number, default: 0 },
    ...limited,
    /** null: never. */
    expiresAt: { type: Date, default: null },
    createdAt: { type: Date, required: true },
    testedAt: { type: Date, default: null },
    responseTimeMs: { type: Number, default: 0 },
    /** Why the last test failed, in English; '' when it passed. */
    testError: { type: String, default: '' },
    /** US dollars, as last reported by the provider. */
    balance: { type: Number, default: 0 },
    balanceUpdatedAt: { type: Date, default: null },
    /** Why and when a rule changed the status. */
    statusReason: { type: String, default: '' },
    statusChangedAt: { type: Date, default: null },
    ...versioned,
  },
  { versionKey: false },
);
channelSchema.index({ id: 1 }, { unique: true });
channelSchema.index({ status: 1, priority: -1, id: -1 });
// The default order of the channel list, and of the list by tags.
channelSchema.index({ priority: -1, id: -1 });
channelSchema.index({ tag: 1, priority: -1, id: -1 });

export type ChannelDoc = Omit<InferSchemaType<typeof channelSchema>, 'keys' | 'keySecrets'> & {
  keys?: ChannelKeyRow[] | null;
  keySecrets?: ChannelKeySecret[] | null;
};
export const Channel = model('Channel', channelSchema, 'channels');

/**
 * Usage served by a channel, one row per bus partition so that consumers do not conflict. `_id` is `<channel>:<partition>`. Its marks are
 * written last: an event at or before its channel's mark is counted everywhere.
 */
const channelUsageSchema = new Schema(
  {
    _id: { type: String, required: true },
    channelId: { type: Number, required: true },
    usedQuota: { type: Number, default: 0 },
    requests: { type: Number, default: 0 },
    marks: { type: Schema.Types.Mixed, default: {} },
  },
  { versionKey: false, minimize: false },
);
channelUsageSchema.index({ channelId: 1 });

type ChannelUsageDoc = InferSchemaType<typeof channelUsageSchema>;
export type ChannelUsageRow = RowOf<ChannelUsageDoc, keyof ChannelUsageDoc, { marks: Marks }>;
export const ChannelUsage = model('ChannelUsage', channelUsageSchema, 'channel_usage');
