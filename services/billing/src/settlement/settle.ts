import type { Delivery } from '@tollgate/bus';
import type { UsageRecorded } from '@tollgate/contracts';
import { rows, SettlementEpoch } from '@tollgate/db';
import type { Settlement, Wallet } from '@tollgate/wallet';
import { amountOf, type Charge, groupBy, markName, markOf, sum } from './charge.ts';
import { type BudgetStates, chargeBudgets } from './charge-budgets.ts';
import { chargeTokens, type TokenState } from './charge-tokens.ts';
import { chargeWallets, type WalletState } from './charge-wallets.ts';
import { type Duplicate, insertLogs } from './log-rows.ts';
import type { NoteBalances } from './note-balances.ts';
import { countChannels, countHours, countModels, countParts } from './roll-ups.ts';

/** The result of a batch. Redelivered events count as charged; the marks decide whether they still had to be. */
export interface Settled {
  charged: number;
  redelivered: number;
  duplicates: number;
  quota: number;
  uncollected: number;
}

export interface SettleDependencies {
  wallet: Pick<Wallet, 'open' | 'settle'>;
  /** False: log rows are kept for uniqueness only, and hidden. */
  logsShown: boolean;
  onUnknownUser?(userId: number): void;
  noteBalances?: NoteBalances | undefined;
}

/**
 * Charges one partition's batch. Safe to repeat with any part of it and to run twice at once: logs are unique by request id and a wallet
 * accepts only events beyond its mark, so crashes, redeliveries and zombies change nothing.
 */
export async function settle(batch: Delivery<UsageRecorded>[], dependencies: SettleDependencies): Promise<Settled> {
  const { wallet, logsShown: shown } = dependencies;
  const { charges, duplicates, redelivered } = await insertLogs(batch, { shown });
  for (const [mark, own] of groupBy(charges, markOf)) await charge(mark, own, dependencies); // a batch may span two epochs
  if (duplicates.length > 0) await settleDuplicates(duplicates, wallet);
  return {
    charged: charges.length - redelivered,
    redelivered,
    duplicates: duplicates.length,
    quota: sum(charges, amountOf),
    uncollected: sum(charges, (each) => each.uncollected),
  };
}

/**
 * Counts calls in all places, each under its own mark, and ends their holds. Wallets come first: only they determine the uncollected part.
 * Channels come last: their marks show that everything is counted.
 */
export async function charge(
  mark: string,
  charges: Charge[],
  { wallet, onUnknownUser, noteBalances }: Pick<SettleDependencies, 'wallet' | 'onUnknownUser' | 'noteBalances'>,
): Promise<void> {
  const wallets = await chargeWallets(mark, charges, {
    async openWallet(userId) {
      onUnknownUser?.(userId);
      await wallet.open(userId);
    },
  });
  const [tokens, budgets] = await Promise.all([
    chargeTokens(mark, charges),
    chargeBudgets(mark, charges),
    countHours(mark, charges),
    // Daily rankings are rebuilt when the sums by group have changed, so the sums by model must be written first.
    countModels(mark, charges).then(() => countParts(mark, charges)),
  ]);
  noteBalances?.(wallets, budgets);
  await wallet.settle(settlementsOf(charges, { wallets, tokens, budgets }));
  await countChannels(mark, charges);
}

interface States {
  wallets: Map<number, WalletState>;
  tokens: Map<number, TokenState>;
  budgets: BudgetStates;
}

function settlementsOf(charges: Charge[], { wallets, tokens, budgets }: States): Settlement[] {
  const settlements: Settlement[] = [];
  for (const [userId, own] of groupBy(charges, (each) => each.userId)) {
    const wallet = wallets.get(userId);
    if (!wallet) continue;
    const ofPayer = budgets.get(userId);
    const tokenIds = new Set(own.map(({ tokenId }) => tokenId));
    tokenIds.delete(0);
    settlements.push({
      userId,
      requestIds: own.map(({ _id }) => _id),
      wallet,
      tokens: Array.from(tokenIds, (tokenId) => ({ tokenId, ...tokens.get(tokenId) })),
      ...(ofPayer !== undefined && { budgets: ofPayer }),
    });
  }
  return settlements;
}

/**
 * Ends the holds of duplicates whose logged event is charged. If it is not (it waits in another partition or in a deleted topic), the hold
 * must keep guarding the balance.
 */
async function settleDuplicates(duplicates: Duplicate[], wallet: SettleDependencies['wallet']): Promise<void> {
  const userIds = [...new Set(duplicates.map(({ charge: { userId } }) => userId))];
  const found = await rows
    .wallets()
    .find({ _id: { $in: userIds } }, { projection: { balance: 1, version: 1, marks: 1 } })
    .toArray();
  const wallets = new Map(found.map((row) => [row._id, row]));
  const epochs = [...new Set(duplicates.map(({ logged }) => logged.epoch ?? ''))];
  const closed = await SettlementEpoch.find({ _id: { $in: epochs }, closedAt: { $ne: null } }, { _id: 1 }).lean();
  const isClosed = new Set(closed.map(({ _id }) => _id));
  const charged = duplicates
    .filter(({ charge: { userId }, logged: { epoch, partition, offset } }) => {
      if (epoch === undefined || partition === undefined || offset === undefined || isClosed.has(epoch)) return true;
      return (wallets.get(userId)?.marks[markName({ epoch, partition })] ?? '') >= offset;
    })
    .map((duplicate) => duplicate.charge);
  const tokenIds = [...new Set(charged.map(({ tokenId }) => tokenId))];
  const tokens = await rows
    .tokenWallets()
    .find({ _id: { $in: tokenIds } }, { projection: { remain: 1, version: 1 } })
    .toArray();
  await wallet.settle(settlementsOf(charged, { wallets, tokens: new Map(tokens.map((row) => [row._id, row])), budgets: new Map() }));
}
