import { type BudgetUse, neverMs } from '@tollgate/contracts';
import { type BudgetBucketRow, budgetBucketId, rows } from '@tollgate/db';
import type { Settlement } from '@tollgate/wallet';
import { writeAll } from './bulk.ts';
import { amountOf, type Charge, callsIn, sum } from './charge.ts';

const dayMs = 86_400_000;
/** How long a bucket is kept for the history, after it has left: short ones are many. */
const keptMs = { short: 35 * dayMs, long: 400 * dayMs };

/** The charges that count in one bucket of a payer's budget. */
interface Bucket {
  payer: number;
  use: BudgetUse;
  charges: Charge[];
}

/** What the database has of the buckets after a batch, by payer. */
export type BudgetStates = Map<number, NonNullable<Settlement['budgets']>>;

/**
 * Counts charges in the buckets that their calls were reserved in, each row in one update that applies only if its version is unchanged
 * since it was read. A refund names the bucket of its call, so it gives back to that one.
 */
export async function chargeBudgets(mark: string, charges: Charge[]): Promise<BudgetStates> {
  const states: BudgetStates = new Map();
  const buckets = new Map<string, Bucket>();
  for (const charge of charges) {
    for (const use of charge.budgets ?? []) {
      const id = budgetBucketId(use.id, charge.userId, use.from);
      const bucket = buckets.get(id);
      if (bucket === undefined) buckets.set(id, { payer: charge.userId, use, charges: [charge] });
      else bucket.charges.push(charge);
    }
  }
  let open = [...buckets.keys()];
  while (open.length > 0) {
    const stored = await readBuckets(mark, open);
    const operations = [];
    const tried = new Map<string, BudgetBucketRow>();
    for (const id of open) {
      const bucket = buckets.get(id) as Bucket;
      const row = stored.get(id);
      const counted = row?.marks?.[mark] ?? '';
      const beyond = bucket.charges.filter(({ offset }) => offset > counted);
      if (row !== undefined && beyond.length === 0) {
        note(states, bucket, row);
        continue;
      }
      const after = afterCharges(id, bucket, { before: row, beyond });
      const { _id, version, ...fields } = after;
      const $set = { ...fields, version, [`marks.${mark}`]: beyond.at(-1)?.offset ?? '' };
      // No row has version 0: an insert that finds a row collides and is looked at again.
      const filter = { _id, version: row?.version ?? 0 };
      operations.push({ updateOne: { filter, update: { $set }, upsert: row === undefined } });
      tried.set(id, after);
    }
    const { done, failures } = await writeAll(rows.budgetBuckets(), operations);
    if (failures.length === 0 && done === operations.length) {
      for (const [id, row] of tried) note(states, buckets.get(id) as Bucket, row);
      break;
    }
    open = [...tried.keys()]; // the marks show which of them were applied
  }
  return states;
}

async function readBuckets(mark: string, ids: string[]): Promise<Map<string, BudgetBucketRow>> {
  const counts = { budgetId: 1, payer: 1, from: 1, until: 1, quota: 1, requests: 1, tokens: 1, version: 1 };
  const found = await rows
    .budgetBuckets()
    .find({ _id: { $in: ids } }, { projection: { ...counts, [`marks.${mark}`]: 1 } })
    .toArray();
  return new Map(found.map((row) => [row._id, row]));
}

function afterCharges(
  id: string,
  { payer, use }: Bucket,
  { before, beyond }: { before: BudgetBucketRow | undefined; beyond: Charge[] },
): Omit<BudgetBucketRow, 'marks'> {
  const { id: budgetId, from, until } = use;
  const keepUntil = until + (until - from < 2 * dayMs ? keptMs.short : keptMs.long);
  return {
    _id: id,
    budgetId,
    payer,
    from: new Date(from),
    until: new Date(until),
    quota: (before?.quota ?? 0) + sum(beyond, amountOf),
    requests: (before?.requests ?? 0) + callsIn(beyond),
    tokens: (before?.tokens ?? 0) + sum(beyond, ({ promptTokens, completionTokens }) => promptTokens + completionTokens),
    version: (before?.version ?? 0) + 1,
    ...(until < neverMs && { keepUntil: new Date(keepUntil) }),
  };
}

function note(states: BudgetStates, { payer, use }: Bucket, row: Omit<BudgetBucketRow, 'marks'>): void {
  const own = states.get(payer) ?? [];
  states.set(payer, own);
  const { from, until, version } = row;
  const bucket = { from, until, version, spent: row[use.unit] };
  const budget = own.find(({ id }) => id === use.id);
  if (budget === undefined) own.push({ id: use.id, unit: use.unit, buckets: [bucket] });
  else budget.buckets.push(bucket);
}
