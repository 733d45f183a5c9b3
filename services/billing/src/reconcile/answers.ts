import { setTimeout as delay } from 'node:timers/promises';
import { rows } from '@tollgate/db';
import type { Wallet } from '@tollgate/wallet';
import { confirmDifferences } from './confirm-difference.ts';
import type { Difference } from './difference.ts';

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
