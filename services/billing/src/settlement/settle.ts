import type { Delivery } from '@tollgate/bus';
import type { UsageRecorded } from '@tollgate/contracts';
import { rows, SettlementEpoch } from '@tollgate/db';
import type { Settlement, Wallet } from '@tollgate/wallet';
import { amountOf, type Charge, groupBy, markName, markOf, sum } from './charge.ts';
import { chargeTokens, type TokenStanding } from './charge-tokens.ts';
import { chargeWallets, type WalletStanding } from './charge-wallets.ts';
import { type Duplicate, insertLogs } from './log-rows.ts';
import type { NoteBalances } from './note-balances.ts';
import { countChannels, countHours, countModels, countParts } from './roll-ups.ts';

/** What a batch came to. Events that came again are among the charged ones: whether they still were to be, their marks knew. */
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
 * Charges one partition's batch. Safe to run again with any part of it, and twice at the same time: logs are unique by request id,
 * and a wallet takes only events beyond its own mark, so crashes, redeliveries and zombies change nothing.
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
 * Counts calls everywhere, each place under its own mark, and ends their holds. The wallets go first: only they know what could
 * not be collected. The channels go last: their marks say that all is done.
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
  const [tokens] = await Promise.all([
    chargeTokens(mark, charges),
    countHours(mark, charges),
    // Lists of models' days are made anew when the groups' sums have changed: by then the models' have, too.
    countModels(mark, charges).then(() => countParts(mark, charges)),
  ]);
  noteBalances?.(wallets);
  await wallet.settle(settlementsOf(charges, wallets, tokens));
  await countChannels(mark, charges);
}

function settlementsOf(charges: Charge[], wallets: Map<number, WalletStanding>, tokens: Map<number, TokenStanding>): Settlement[] {
  const settlements: Settlement[] = [];
  for (const [userId, own] of groupBy(charges, (each) => each.userId)) {
    const wallet = wallets.get(userId);
    if (!wallet) continue;
    const tokenIds = new Set(own.map(({ tokenId }) => tokenId));
    tokenIds.delete(0);
    settlements.push({
      userId,
      requestIds: own.map(({ _id }) => _id),
      wallet,
      tokens: Array.from(tokenIds, (tokenId) => ({ tokenId, ...tokens.get(tokenId) })),
    });
  }
  return settlements;
}

/**
 * Ends the holds of calls that were published twice, but only where the event that was logged is charged. If it is not (it waits
 * in another partition, or in a topic that is gone), the hold must go on guarding the balance until it is.
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
  await wallet.settle(settlementsOf(charged, wallets, new Map(tokens.map((row) => [row._id, row]))));
}
