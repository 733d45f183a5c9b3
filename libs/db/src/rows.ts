import type { mongo } from 'mongoose';
import { BudgetBucket, type BudgetBucketRow } from './budget.ts';
import { CallFailure, type CallFailureRow } from './call-failure.ts';
import { ChannelUsage, type ChannelUsageRow } from './channel.ts';
import { ChannelStats, type ChannelStatsRow } from './channel-stats.ts';
import { StoredObject, type StoredObjectRow } from './stored-object.ts';
import { Task, type TaskRow } from './task.ts';
import { UsageByModel, type UsageByModelRow } from './usage-by-model.ts';
import { UsageByPart, type UsageByPartRow } from './usage-by-part.ts';
import { UsageHourly, type UsageHourlyRow } from './usage-hourly.ts';
import { UsageLog, type UsageLogRow } from './usage-log.ts';
import { LedgerEntry, type LedgerRow, TokenWalletModel, type TokenWalletRow, WalletModel, type WalletRow } from './wallet.ts';

/**
 * The driver's collections, for the money paths: no casting, hydration or validation, so writers must be exact. They use the connection of
 * `connectDatabase`.
 */
export const rows = {
  wallets: () => WalletModel.collection as unknown as mongo.Collection<WalletRow>,
  tokenWallets: () => TokenWalletModel.collection as unknown as mongo.Collection<TokenWalletRow>,
  budgetBuckets: () => BudgetBucket.collection as unknown as mongo.Collection<BudgetBucketRow>,
  ledger: () => LedgerEntry.collection as unknown as mongo.Collection<LedgerRow>,
  usageLogs: () => UsageLog.collection as unknown as mongo.Collection<UsageLogRow>,
  usageHourly: () => UsageHourly.collection as unknown as mongo.Collection<UsageHourlyRow>,
  usageByModel: () => UsageByModel.collection as unknown as mongo.Collection<UsageByModelRow>,
  storedObjects: () => StoredObject.collection as unknown as mongo.Collection<StoredObjectRow>,
  tasks: () => Task.collection as unknown as mongo.Collection<TaskRow>,
  usageByPart: () => UsageByPart.collection as unknown as mongo.Collection<UsageByPartRow>,
  callFailures: () => CallFailure.collection as unknown as mongo.Collection<CallFailureRow>,
  channelStats: () => ChannelStats.collection as unknown as mongo.Collection<ChannelStatsRow>,
  channelUsage: () => ChannelUsage.collection as unknown as mongo.Collection<ChannelUsageRow>,
};
