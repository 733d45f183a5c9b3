import { isDuplicate, type LedgerRow, rows } from '@tollgate/db';
import type { SharedClock } from './clock.ts';
import type { Projection } from './projection.ts';
import type { Posting, Wallet } from './wallet.ts';

type LedgerVerbs = Pick<Wallet, 'post' | 'finishPending'>;
type Verdict = { state: 'applied' | 'refused'; balance: number; version: number };

/**
 * Every change of money except usage. The entry is written first, then applied to the wallet under a guard on its id, then marked. A
 * process that dies in between leaves a pending entry, which any process can finish later.
 */
export function ledgerVerbs(projection: Projection, clock: SharedClock): LedgerVerbs {
  async function finish(entry: LedgerRow): Promise<Verdict> {
    const verdict = await applyToWallet(entry, clock);
    if (verdict.state === 'applied') {
      if (entry.tokenId) await applyToToken(entry, entry.tokenId);
      if (entry.log) await writeLog(entry);
    }
    await projection.refreshWallet(entry.userId, verdict);
    await rows.ledger().updateOne({ _id: entry._id, state: 'pending' }, { $set: { state: verdict.state } });
    return verdict;
  }

  async function applyToToken({ _id, amount, userId }: LedgerRow, tokenId: number): Promise<void> {
    const token = await rows
      .tokenWallets()
      .findOneAndUpdate(
        { _id: tokenId, 'applied.id': { $ne: _id } },
        { $inc: { remain: amount, used: -amount, version: 1 }, $push: { applied: { id: _id, at: new Date(clock.read()) } } },
        { returnDocument: 'after', projection: { remain: 1, version: 1 } },
      );
    if (token) await projection.refreshToken(userId, tokenId, token);
  }

  return {
    async post(posting) {
      if (!Number.isSafeInteger(posting.amount)) throw new RangeError(`posting ${posting.id}: the amount must be an integer`);
      const entry = await recordEntry(posting, new Date(clock.read()));
      if (entry.state === 'pending') {
        const { state, balance } = await finish(entry);
        return { state, first: true, balance };
      }
      const wallet = await rows.wallets().findOne({ _id: posting.userId }, { projection: { balance: 1 } });
      return { state: entry.state, first: false, balance: wallet?.balance ?? 0 };
    },

    async finishPending(olderThanMs = 60_000) {
      let finished = 0;
      const since = new Date((await clock.ask()) - olderThanMs);
      for await (const entry of rows.ledger().find({ state: 'pending', at: { $lte: since } }, { sort: { at: 1 } })) {
        await finish(entry);
        finished++;
      }
      return finished;
    },
  };
}

/** Inserts the entry, or reads the existing one with this id. Throws when the existing one differs. */
async function recordEntry({ id, ...posting }: Posting, at: Date): Promise<LedgerRow> {
  const entry: LedgerRow = { _id: id, ...posting, state: 'pending', at };
  try {
    await rows.ledger().insertOne(entry);
    return entry;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
  const stored = await rows.ledger().findOne({ _id: id });
  if (stored?.userId === posting.userId && stored.amount === posting.amount) return stored;
  throw new Error(`ledger entry ${id} exists already, for another user or amount`);
}

/** Applies or rejects an entry in one update of the wallet. Later calls get the same verdict. */
async function applyToWallet({ _id: id, userId, amount, most }: LedgerRow, clock: SharedClock): Promise<Verdict> {
  const undecided = { _id: userId, 'applied.id': { $ne: id } };
  const { fits, doesNot } = boundsOf(amount, most);
  for (;;) {
    const applied = await rows
      .wallets()
      .findOneAndUpdate(
        { ...undecided, ...(fits && { balance: fits }) },
        { $inc: { balance: amount, version: 1 }, $push: { applied: { id, at: new Date(clock.read()) } } },
        { returnDocument: 'after', projection: { balance: 1, version: 1 } },
      );
    if (applied) return { state: 'applied', balance: applied.balance, version: applied.version };

    const wallet = await rows.wallets().findOne({ _id: userId }, { projection: { balance: 1, version: 1, applied: 1 } });
    if (!wallet) {
      await openWalletRow(userId);
      continue;
    }
    const decided = wallet.applied.find((guard) => guard.id === id);
    if (decided) return { state: decided.refused ? 'refused' : 'applied', balance: wallet.balance, version: wallet.version };

    if (!doesNot) continue;
    await rows
      .wallets()
      .updateOne({ ...undecided, balance: doesNot }, { $push: { applied: { id, at: new Date(clock.read()), refused: true } } });
  }
}

/** The balances to which an amount may be added, and those to which it may not. Empty when all are allowed. */
function boundsOf(amount: number, most: number | undefined) {
  if (amount < 0) return { fits: { $gte: -amount }, doesNot: { $lt: -amount } };
  return most === undefined ? {} : { fits: { $lte: most - amount }, doesNot: { $gt: most - amount } };
}

/** Creates an empty wallet unless there is one. */
export async function openWalletRow(userId: number): Promise<void> {
  const empty = { balance: 0, usedQuota: 0, requests: 0, version: 1, marks: {}, applied: [], shortfalls: [] };
  try {
    await rows.wallets().updateOne({ _id: userId }, { $setOnInsert: empty }, { upsert: true });
  } catch (error) {
    if (!isDuplicate(error)) throw error; // another upsert created it at the same time
  }
}

async function writeLog({ _id, userId, amount, at, log }: LedgerRow): Promise<void> {
  const noCall = { tokenId: 0, tokenName: '', group: '', model: '', channelId: 0, channelName: '', promptTokens: 0, completionTokens: 0 };
  try {
    await rows.usageLogs().insertOne({ type: 4, ...log, _id, at, userId, quota: log?.quota ?? amount, uncollected: 0, ...noCall });
  } catch (error) {
    if (!isDuplicate(error)) throw error; // written before the process died
  }
}
