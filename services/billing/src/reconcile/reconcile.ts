import { setTimeout as delay } from 'node:timers/promises';
import { rows } from '@tollgate/db';
import type { Logger } from '@tollgate/runtime';
import type { Wallet } from '@tollgate/wallet';
import type { BillingMetrics } from '../metrics.ts';
import { copyAllUncollected } from '../settlement/uncollected.ts';
import { confirmDifferences } from './confirm-difference.ts';
import type { Difference } from './difference.ts';
import { closeGoneEpochs, forgetClosedEpochs } from './epochs.ts';
import { inspect } from './invariants.ts';

const hourMs = 3_600_000;

/**
 * Compares the answers that relays counted as they left with the calls that were charged, for each user and closed hour. More answers than
 * charges were given away. More charges are in order: a relay that was killed could not count, and its calls are charged by the sweep.
 */
export async function answersAgainstCharges({
  wallet,
  nowMs,
  hours = 25,
  waitMs = 2_000,
}: {
  wallet: Pick<Wallet, 'answers'>;
  nowMs: number;
  hours?: number;
  waitMs?: number;
}): Promise<Difference[]> {
  const differences: Difference[] = [];
  const closedHour = Math.floor(nowMs / hourMs) * hourMs;
  for (let hour = closedHour - hours * hourMs; hour < closedHour; hour += hourMs) {
    differences.push(...(await confirmDifferences(waitMs, (lookWaitMs) => delay(lookWaitMs).then(() => uncharged(wallet, hour)))));
  }
  return differences;
}

async function uncharged(wallet: Pick<Wallet, 'answers'>, hour: number): Promise<Difference[]> {
  const answered = await wallet.answers(hour);
  if (answered.size === 0) return [];
  const charged = await rows
    .usageHourly()
    .aggregate<{ _id: number; requests: number }>([
      { $match: { hour: new Date(hour) } },
      { $group: { _id: '$userId', requests: { $sum: '$requests' } } },
    ])
    .toArray();
  const found = new Map(charged.map(({ _id, requests }) => [_id, requests]));
  return [...answered]
    .map(([userId, expected]): Difference => ({ userId, what: 'answers', found: found.get(userId) ?? 0, expected }))
    .filter((difference) => difference.found < difference.expected);
}

const keptMs = 3_600_000;

/**
 * Deletes guards of ledger entries that were decided long ago. A guard is needed while its entry is pending, so all guards from one hour
 * before the oldest pending entry on stay.
 */
export async function pruneGuards(nowMs = Date.now()): Promise<void> {
  const oldest = await rows.ledger().findOne({ state: 'pending' }, { sort: { at: 1 }, projection: { at: 1 } });
  const before = new Date(Math.min(nowMs, oldest?.at.getTime() ?? nowMs) - keptMs);
  const old = { at: { $lt: before } };
  for (const collection of [rows.wallets(), rows.tokenWallets()] as ReturnType<typeof rows.wallets>[]) {
    await collection.updateMany({ 'applied.at': { $lt: before } }, { $pull: { applied: old } });
  }
}

export interface ReconcileDependencies {
  wallet: Pick<Wallet, 'now' | 'open' | 'settle' | 'finishPending' | 'answers'>;
  logger: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** Finishes what dead processes left. Safe to run in several processes at once; a failing part does not stop the others. */
export async function finishLeftovers({ wallet, logger }: ReconcileDependencies): Promise<void> {
  const parts: [string, () => Promise<number>][] = [
    ['ledger entries', () => wallet.finishPending()],
    ['calls of a bus topic that is gone', async () => closeGoneEpochs({ wallet, nowMs: await wallet.now() })],
  ];
  for (const [what, finish] of parts) {
    try {
      const finished = await finish();
      if (finished > 0) logger.warn({ what, finished }, 'finished what a dead process left');
    } catch (error) {
      logger.error({ what, err: error }, 'could not finish what a dead process left');
    }
  }
}

/**
 * The nightly check, which reads every wallet: cleans up, then compares wallets with ledger, roll-ups and log, and answered calls with
 * charges unless calls wait to be charged (`isBehind`).
 */
export async function reconcile({
  wallet,
  logger,
  metrics,
  isBehind,
}: ReconcileDependencies & { metrics: BillingMetrics; isBehind: boolean }): Promise<void> {
  await finishLeftovers({ wallet, logger });
  await copyAllUncollected(); // otherwise done with the user's next charge
  const nowMs = await wallet.now();
  await pruneGuards(nowMs);
  await forgetClosedEpochs(nowMs);
  const { walletsChecked, differences } = await inspect({ nowMs });
  const given = isBehind ? [] : await answersAgainstCharges({ wallet, nowMs });
  const uncharged = given.reduce((sum, { found, expected }) => sum + expected - found, 0);
  metrics.reconciled({ walletsChecked, differences: differences.length, uncharged });
  for (const difference of given.slice(0, 20)) logger.error(difference, 'a user got more answers than were charged');
  for (const difference of differences.slice(0, 20)) logger.error(difference, 'a wallet differs from its sources');
  logger.info({ walletsChecked, differences: differences.length }, 'wallets compared with ledger and log');
}
