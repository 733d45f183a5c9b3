import { booksDiffer, eventually, makeReportedDue } from '@tollgate/testing';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type Db, MongoClient } from 'mongodb';
import type { Site } from './site.ts';
import type { Call } from './traffic.ts';

interface LogRow {
  _id: string;
  userId: number;
  quota: number;
  uncollected: number;
}

/** What a fault run came to. */
export interface Finding {
  answered: number;
  broken: number;
  refused: number;
  charged: number;
}

/**
 * Holds the books against what callers received and the provider gave: every answer that came whole or in part is in the log
 * exactly once, nothing is charged that the provider never began, the balances are grants less logs, no hold is left, and whoever
 * has nothing but the Prometheus doors sees as much.
 */
export function audit(site: Site, calls: Call[], timeoutMs = 90_000): Promise<Finding> {
  return findingOf(site, calls, timeoutMs).catch((error: Error) => {
    throw new Error(`${booksDiffer}: ${error.message}`, { cause: error });
  });
}

async function findingOf(site: Site, calls: Call[], timeoutMs: number): Promise<Finding> {
  const client = await MongoClient.connect(site.installation.mongodbUri);
  const redis = new Redis(site.installation.redisUrl, { lazyConnect: false, maxRetriesPerRequest: 3 });
  try {
    const database = client.db();
    /** Calls that were logged in a life of the bus that is over are charged once nobody can work on them any more: a quarter of an hour, for us less. */
    const orOnceGoneEpochsAreDue = <T>(held: () => Promise<T>, soon: { timeoutMs: number; everyMs: number }): Promise<T> =>
      eventually(held, soon).catch(async () => {
        await makeGoneEpochsDue(database);
        return eventually(held, { ...soon, timeoutMs });
      });
    const owed = calls.filter(({ got }) => got !== 'none');
    const allBilled = async () => {
      await nothingIsOwed(site);
      const found = database.collection<LogRow>('usage_logs').find({ type: 2, userId: site.userId }, { projection: { _id: 1 } });
      const billed = new Set((await found.toArray()).map(({ _id }) => _id));
      const missing = owed.filter(({ requestId }) => !billed.has(requestId)).map(({ mark }) => mark);
      expect(missing, 'answered and not in the log').to.deep.equal([]);
    };
    await eventually(allBilled, { timeoutMs: 4_000, everyMs: 200 }).catch(async () => {
      // What a dead relay had not published waits half a minute for the sweep: we do not.
      await makeReportedDue(redis);
      await orOnceGoneEpochsAreDue(allBilled, { timeoutMs, everyMs: 200 });
    });
    const charged = await orOnceGoneEpochsAreDue(() => booksOf(site, database), { timeoutMs: 10_000, everyMs: 500 });
    // Billing tells Redis after its own books.
    await eventually(
      async () => {
        const [walletKey] = await redis.keys(`{u*}:wallet:${site.userId}`);
        const projected = walletKey === undefined ? {} : await redis.hgetall(walletKey);
        if (projected.balance !== undefined) expect(Number(projected.balance), 'the balance in Redis').to.equal(site.grant - charged);
        expect(Number(projected.held ?? 0), 'held in Redis').to.equal(0);
      },
      { timeoutMs: 10_000 },
    );
    return {
      answered: calls.filter(({ got }) => got === 'whole').length,
      broken: calls.filter(({ got }) => got === 'part').length,
      refused: calls.filter(({ got }) => got === 'none').length,
      charged,
    };
  } finally {
    redis.disconnect();
    await client.close();
  }
}

/** Holds wallet and token against ledger and log; returns what was charged in all. */
async function booksOf(site: Site, database: Db): Promise<number> {
  const rows = await database.collection<LogRow>('usage_logs').find({ type: 2, userId: site.userId }).toArray();
  const began = site.provider.calls.filter(({ outcome }) => outcome === 'full' || outcome === 'partial').length;
  expect(rows.length, 'charged more calls than the provider ever answered').to.be.at.most(began);
  const charged = rows.reduce((sum, { quota, uncollected }) => sum + quota - (uncollected ?? 0), 0);
  for (const row of rows) expect(row.quota, row._id).to.be.greaterThan(0);

  const wallet = await database.collection<{ _id: number; balance: number }>('wallets').findOne({ _id: site.userId });
  const entries = await database
    .collection<{ amount: number; state: string; userId: number }>('ledger_entries')
    .find({ userId: site.userId, state: 'applied' })
    .toArray();
  const granted = entries.reduce((sum, { amount }) => sum + amount, 0);
  expect(granted, 'granted').to.equal(site.grant);
  expect(wallet?.balance, 'balance = grants - logs').to.equal(granted - charged);
  expect(wallet?.balance).to.be.at.least(0);
  const tokenWallet = await database
    .collection<{ remain: number; used: number; userId: number }>('token_wallets')
    .findOne({ userId: site.userId });
  expect(tokenWallet?.used, 'used by the token = logs').to.equal(charged);
  expect(tokenWallet?.remain).to.equal(site.grant - charged);
  return charged;
}

async function makeGoneEpochsDue(database: Db): Promise<void> {
  const epochs = database.collection<{ lastSeenAt: Date }>('settlement_epochs');
  const [, ...gone] = await epochs.find().sort({ lastSeenAt: -1 }).toArray();
  for (const { _id, lastSeenAt } of gone)
    await epochs.updateOne({ _id }, { $set: { lastSeenAt: new Date(lastSeenAt.getTime() - 3_600_000) } });
}

async function nothingIsOwed(site: Site): Promise<void> {
  for (const name of ['tollgate_answered_not_billed', 'tollgate_holds_open', 'tollgate_events_waiting', 'tollgate_events_dead']) {
    expect(await site.gauge('billing', name), name).to.equal(0);
  }
  for (const name of ['tollgate_answered_not_billed', 'relay_bills_unwritten', 'relay_queued_events', 'relay_open_calls']) {
    expect(await site.gauge('relay', name), name).to.equal(0);
  }
}
