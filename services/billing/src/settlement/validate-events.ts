import type { Delivery } from '@tollgate/bus';
import { type BillItem, chargedIdsKeptMs, type PriceUsed, type UsageRecorded } from '@tollgate/contracts';
import { rows, User } from '@tollgate/db';
import { itemsTotal, quotaOf } from '@tollgate/pricing';
import type { Wallet } from '@tollgate/wallet';

/** Machine clocks differ by minutes; an event from a day ahead is invalid. */
const aheadMs = 24 * 3_600_000;
/** One hour before rows may be deleted, which allows for clock differences. */
const oldMs = chargedIdsKeptMs - 3_600_000;
/** Cache size for users and tokens. */
const maxKnown = 100_000;

export type Rejections = Map<Delivery<UsageRecorded>, string>;

/** Finds the invalid events of a batch, with the reasons. */
export type ValidateEvents = (batch: Delivery<UsageRecorded>[], nowMs?: number) => Promise<Rejections>;

/**
 * Access to the bus must not be enough to create money. An event is charged only if its quota matches its usage and price, the amount is
 * not negative, its user exists and owns its token, and, if its log row may have been deleted since, its hold shows that it was never
 * charged.
 */
export function eventValidator(wallet: Pick<Wallet, 'existingHolds'>): ValidateEvents {
  const users = new Set<number>();
  const tokenOwners = new Map<number, number>();

  async function lookUpUsers(userIds: number[]): Promise<void> {
    const unseen = [...new Set(userIds)].filter((id) => !users.has(id));
    if (unseen.length === 0) return;
    const wallets = await rows
      .wallets()
      .find({ _id: { $in: unseen } }, { projection: { _id: 1 } })
      .toArray();
    for (const { _id } of wallets) users.add(_id);
    const walletless = unseen.filter((id) => !users.has(id));
    if (walletless.length === 0) return;
    for (const { id } of await User.find({ id: { $in: walletless } }, { id: 1 }).lean()) users.add(id);
  }

  async function lookUpTokens(tokenIds: number[]): Promise<void> {
    const unseen = [...new Set(tokenIds)].filter((id) => id > 0 && !tokenOwners.has(id));
    if (unseen.length === 0) return;
    const tokens = await rows
      .tokenWallets()
      .find({ _id: { $in: unseen } }, { projection: { userId: 1 } })
      .toArray();
    for (const { _id, userId } of tokens) tokenOwners.set(_id, userId);
  }

  /** The ids of old calls that are neither logged nor held: it is unknown whether they were charged before their rows were deleted. */
  async function forgotten(old: UsageRecorded[]): Promise<Set<string>> {
    if (old.length === 0) return new Set();
    const ids = new Set(old.map(({ id }) => id));
    for (const id of await wallet.existingHolds(old.map(({ userId, id: requestId }) => ({ userId, requestId })))) ids.delete(id);
    const logged = await rows
      .usageLogs()
      .find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } })
      .toArray();
    for (const { _id } of logged) ids.delete(_id);
    return ids;
  }

  return async (batch, nowMs = Date.now()) => {
    if (users.size > maxKnown) users.clear();
    if (tokenOwners.size > maxKnown) tokenOwners.clear();
    await Promise.all([lookUpUsers(batch.map(({ value }) => value.userId)), lookUpTokens(batch.map(({ value }) => value.tokenId))]);
    const gone = await forgotten(batch.map(({ value }) => value).filter(({ at }) => at < nowMs - oldMs));
    const rejections: Rejections = new Map();
    for (const delivery of batch) {
      const reason = reasonAgainst(delivery.value);
      if (reason !== undefined) rejections.set(delivery, reason);
    }
    return rejections;

    function reasonAgainst(event: UsageRecorded): string | undefined {
      const { quota, uncollected, usage, price, items, userId, tokenId } = event;
      if (uncollected > quota) return `uncollected is ${uncollected}, more than the quota of ${quota}`;
      const expected = quotaOf(usage, price);
      if (items !== undefined && !isSumOf(items, price))
        return `its items come to ${itemsTotal(items)}, not to ${price.modelPrice} dollars`;
      if (quota !== expected) return `the quota is ${quota}, but this usage at this price comes to ${expected}`;
      if (event.at > nowMs + aheadMs) return `the call began at ${new Date(event.at).toISOString()}, more than a day from now`;
      if (!users.has(userId)) return `there is no user ${userId}`;
      const owner = tokenOwners.get(tokenId);
      if (owner !== undefined && owner !== userId) return `token ${tokenId} is another user's`;
      if (gone.has(event.id))
        return 'the call is too old to know whether it was charged: its log row may have been deleted, it has no hold';
      return undefined;
    }
  };
}

/** The items must add up to the fixed price. Fractions of a cent may round differently in another order. */
function isSumOf(items: readonly BillItem[], { kind, modelPrice }: PriceUsed): boolean {
  return kind === 'fixed' && Math.abs(itemsTotal(items) - modelPrice) <= modelPrice * 1e-9;
}
