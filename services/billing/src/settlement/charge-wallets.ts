import { rows, type WalletRow } from '@tollgate/db';
import { writeAll } from './bulk.ts';
import { amountOf, type Charge, callsIn, groupBy } from './charge.ts';
import { copyUncollected } from './uncollected.ts';

/** The state of a wallet after a batch. */
export interface WalletState {
  balance: number;
  version: number;
}

interface WalletCharge {
  balance: number;
  shortfalls: WalletRow['shortfalls'];
}

/**
 * Charges each wallet with the events beyond its mark, in one update that applies only if `version` is unchanged since the wallet was read;
 * otherwise the wallet is read again. A wallet pays at most its balance. The rest is recorded in `shortfalls` by the same update, then on
 * the log rows and in `uncollected` of the given charges.
 */
export async function chargeWallets(
  mark: string,
  charges: Charge[],
  { openWallet }: { openWallet(userId: number): Promise<void> },
): Promise<Map<number, WalletState>> {
  const byUser = groupBy(charges, ({ userId }) => userId);
  const states = new Map<number, WalletState>();
  const chargedBefore: Charge[] = [];
  let open = [...byUser.keys()];
  while (open.length > 0) {
    const wallets = await readWallets(mark, open);
    const operations = [];
    const short: { userId: number; shortfalls: WalletRow['shortfalls'] }[] = [];
    const tried = new Map<number, WalletState>();
    for (const userId of open) {
      const wallet = wallets.get(userId);
      if (!wallet) {
        await openWallet(userId);
        tried.set(userId, { balance: 0, version: 0 });
        continue;
      }
      if (wallet.shortfalls.length > 0) await copyUncollected(userId, wallet.shortfalls); // a process died before it finished these
      const counted = wallet.marks?.[mark] ?? '';
      const own = byUser.get(userId) ?? [];
      const beyond = own.filter(({ offset }) => offset > counted);
      if (beyond.length < own.length) chargedBefore.push(...own.filter(({ offset }) => offset <= counted));
      if (beyond.length === 0) {
        states.set(userId, wallet);
        continue;
      }
      const charge = chargeOf(wallet.balance, beyond);
      operations.push({ updateOne: { filter: { _id: userId, version: wallet.version }, update: updateOf(mark, wallet, beyond, charge) } });
      if (charge.shortfalls.length > 0) short.push({ userId, shortfalls: charge.shortfalls });
      tried.set(userId, { balance: charge.balance, version: wallet.version + 1 });
    }
    const { done, failures } = await writeAll(rows.wallets(), operations);
    if (failures.length === 0 && done === tried.size) {
      for (const [userId, state] of tried) states.set(userId, state);
      for (const { userId, shortfalls } of short) await copyUncollected(userId, shortfalls);
      takeOver(
        charges,
        short.flatMap(({ shortfalls }) => shortfalls),
      );
      break;
    }
    open = [...tried.keys()]; // the marks show which of them were applied
  }
  await rereadUncollected(chargedBefore);
  return states;
}

async function readWallets(mark: string, userIds: number[]): Promise<Map<number, WalletRow>> {
  const projection = { balance: 1, version: 1, shortfalls: 1, [`marks.${mark}`]: 1 };
  const found = await rows
    .wallets()
    .find({ _id: { $in: userIds } }, { projection })
    .toArray();
  return new Map(found.map((wallet) => [wallet._id, wallet]));
}

function chargeOf(balance: number, beyond: Charge[]): WalletCharge {
  const charge: WalletCharge = { balance, shortfalls: [] };
  for (const each of beyond) {
    const amount = amountOf(each);
    const paid = Math.min(amount, charge.balance);
    if (paid < amount) charge.shortfalls.push({ id: each._id, uncollected: each.quota - paid });
    charge.balance -= paid;
  }
  return charge;
}

function updateOf(mark: string, wallet: WalletRow, beyond: Charge[], { balance, shortfalls }: WalletCharge) {
  const paid = wallet.balance - balance;
  return {
    $inc: { balance: -paid, usedQuota: paid, requests: callsIn(beyond), version: 1 },
    $set: { [`marks.${mark}`]: beyond[beyond.length - 1]?.offset ?? '' },
    ...(shortfalls.length > 0 && { $push: { shortfalls: { $each: shortfalls } } }),
  };
}

function takeOver(charges: Charge[], shortfalls: WalletRow['shortfalls']): void {
  if (shortfalls.length === 0) return;
  const uncollected = new Map(shortfalls.map((shortfall) => [shortfall.id, shortfall.uncollected]));
  for (const charge of charges) charge.uncollected = uncollected.get(charge._id) ?? charge.uncollected;
}

/** Another process recorded what it could not collect on the log rows; our events do not have it. */
async function rereadUncollected(chargedBefore: Charge[]): Promise<void> {
  if (chargedBefore.length === 0) return;
  const ids = chargedBefore.map(({ _id }) => _id);
  const stored = await rows
    .usageLogs()
    .find({ _id: { $in: ids } }, { projection: { uncollected: 1 } })
    .toArray();
  const uncollected = new Map(stored.map((row) => [row._id, row.uncollected]));
  for (const charge of chargedBefore) charge.uncollected = uncollected.get(charge._id) ?? charge.uncollected;
}
