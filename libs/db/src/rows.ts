import type { BillItem, LogText, TaskKind, TaskStatus } from '@tollgate/contracts';
import type { mongo } from 'mongoose';
import { ChannelUsage } from './channel.ts';
import type { StoredPrice, StoredUsage } from './stored-bill.ts';
import { Task } from './task.ts';
import { UsageByModel } from './usage-by-model.ts';
import { UsageByPart, type UsagePart } from './usage-by-part.ts';
import { UsageHourly } from './usage-hourly.ts';
import { UsageLog } from './usage-log.ts';
import { LedgerEntry, TokenWalletModel, WalletModel } from './wallet.ts';

/** `<epoch>_<partition>` -> the offset of the last event counted. */
export type Marks = Record<string, string>;

export interface WalletRow {
  _id: number;
  balance: number;
  usedQuota: number;
  requests: number;
  version: number;
  marks: Marks;
  applied: { id: string; at: Date; refused?: boolean }[];
  shortfalls: { id: string; uncollected: number }[];
}

export interface TokenWalletRow {
  _id: number;
  userId: number;
  remain: number;
  used: number;
  version: number;
  marks: Marks;
  applied: { id: string; at: Date }[];
  accessedAt: Date | null;
}

export interface LedgerRow {
  _id: string;
  userId: number;
  amount: number;
  reason: string;
  state: 'pending' | 'applied' | 'refused';
  at: Date;
  tokenId?: number;
  log?: { type: 1 | 3 | 4; username?: string; content?: string; text?: LogText; quota?: number };
}

export interface UsageLogRow {
  _id: string;
  type: number;
  at: Date;
  userId: number;
  username?: string;
  tokenId: number;
  tokenName?: string;
  group?: string;
  model: string;
  upstreamModel?: string;
  mode?: string;
  channelId: number;
  channelName?: string;
  triedChannels?: number[];
  isStream?: boolean;
  durationMs?: number;
  firstTokenMs?: number;
  promptTokens: number;
  completionTokens: number;
  usage?: StoredUsage;
  usageSource?: string;
  endReason?: string;
  price?: StoredPrice;
  items?: BillItem[];
  quota: number;
  uncollected: number;
  reasoningEffort?: string;
  sessionId?: string;
  content?: string;
  text?: LogText;
  refundOf?: string;
  hidden?: boolean;
  epoch?: string;
  partition?: number;
  offset?: string;
}

export interface UsageHourlyRow {
  _id: string;
  hour: Date;
  userId: number;
  username: string;
  model: string;
  channelId: number;
  tokenId: number;
  tokenName: string;
  group: string;
  requests: number;
  promptTokens: number;
  completionTokens: number;
  quota: number;
  uncollected: number;
  marks: Marks;
}

export type UsageByModelRow = Pick<
  UsageHourlyRow,
  '_id' | 'hour' | 'model' | 'requests' | 'promptTokens' | 'completionTokens' | 'quota' | 'uncollected' | 'marks'
>;

export interface UsageByPartRow
  extends Pick<UsageHourlyRow, '_id' | 'requests' | 'promptTokens' | 'completionTokens' | 'quota' | 'uncollected' | 'marks'> {
  by: UsagePart;
  at: Date;
  channelId?: number;
  group?: string;
  tokenId?: number;
  userId?: number;
}

export interface ChannelUsageRow {
  _id: string;
  channelId: number;
  usedQuota: number;
  requests: number;
  marks: Marks;
}

/** Fields are explained in `task.ts`. */
export interface TaskRow {
  _id: string;
  id: number;
  kind: TaskKind;
  upstreamId?: string;
  action: string;
  status: TaskStatus;
  progress: string;
  failReason: string;
  at: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  updatedAt: Date;
  userId: number;
  username: string;
  tokenId: number;
  channelId: number;
  quota: number;
  isOpen?: true;
  /** How often in a row its provider did not know it. */
  misses?: number;
  refund?: 'due' | 'done' | 'none';
  prompt: string;
  promptEn?: string;
  description?: string;
  state?: string;
  customId?: string;
  botType?: string;
  mode?: string;
  code?: number;
  imageUrl?: string;
  buttons?: unknown;
  properties?: unknown;
  data?: unknown;
}

/**
 * The driver's own collections, for the money paths: no casting, no hydration, no validation, so their writers must be exact.
 * They belong to the connection that `connectDatabase` makes.
 */
export const rows = {
  wallets: () => WalletModel.collection as unknown as mongo.Collection<WalletRow>,
  tokenWallets: () => TokenWalletModel.collection as unknown as mongo.Collection<TokenWalletRow>,
  ledger: () => LedgerEntry.collection as unknown as mongo.Collection<LedgerRow>,
  usageLogs: () => UsageLog.collection as unknown as mongo.Collection<UsageLogRow>,
  usageHourly: () => UsageHourly.collection as unknown as mongo.Collection<UsageHourlyRow>,
  usageByModel: () => UsageByModel.collection as unknown as mongo.Collection<UsageByModelRow>,
  tasks: () => Task.collection as unknown as mongo.Collection<TaskRow>,
  usageByPart: () => UsageByPart.collection as unknown as mongo.Collection<UsageByPartRow>,
  channelUsage: () => ChannelUsage.collection as unknown as mongo.Collection<ChannelUsageRow>,
};
