import type { PriceHistoryView } from '@tollgate/contracts';
import { PriceHistory, Proposal } from '@tollgate/db';
import { pricesOf } from '@tollgate/pricing';
import type { Context } from '../../context.ts';
import { dollarsOf, tablesOf } from '../options/catalog-prices.ts';

const mostKept = 200;

/** Notes the prices of offered models that are others than those noted last, whatever changed them: an option, the catalog, a new release, the time. */
export async function notePrices({ options, offered }: Pick<Context, 'options' | 'offered'>): Promise<void> {
  await options.read();
  const tables = tablesOf(options.values);
  const at = new Date();
  const rows = await PriceHistory.find({}, { entries: { $slice: -1 } }).lean();
  const last = new Map(rows.map(({ _id, entries }) => [_id, entries.at(-1)?.prices]));
  for (const model of (await offered.read()).keys()) {
    const price = pricesOf(model, { group: '', atMs: at.getTime() }, tables);
    if (price === undefined) continue;
    const prices = JSON.stringify(Object.fromEntries(dollarsOf(price)));
    if (last.get(model) === prices) continue;
    await PriceHistory.updateOne({ _id: model }, { $push: { entries: { $each: [{ at, prices }], $slice: -mostKept } } }, { upsert: true });
  }
}

/** The newest first. */
export async function priceHistory(model: string): Promise<PriceHistoryView> {
  const row = await PriceHistory.findById(model).lean();
  return (row?.entries ?? [])
    .map(({ at, prices }) => ({ time: Math.floor(at.getTime() / 1000), prices: JSON.parse(prices) as Record<string, number> }))
    .reverse();
}

const monthMs = 30 * 86_400_000;

/** The prices of models a month ago, or when one was approved last, if that is later. */
export async function baselines(): Promise<Map<string, Record<string, number>>> {
  const since = Date.now() - monthMs;
  const [rows, approved] = await Promise.all([
    PriceHistory.find().lean(),
    Proposal.find({ kind: 'price', status: 'applied', decidedAt: { $gte: new Date(since) } })
      .select('model decidedAt')
      .lean(),
  ]);
  const from = new Map(approved.map(({ model, decidedAt }) => [model, decidedAt?.getTime() ?? 0]));
  return new Map(
    rows.flatMap(({ _id, entries }) => {
      const begin = Math.max(since, from.get(_id) ?? 0);
      const held = entries.findLast(({ at }) => at.getTime() <= begin) ?? entries.find(({ at }) => at.getTime() > begin);
      return held === undefined ? [] : [[_id, JSON.parse(held.prices) as Record<string, number>] as const];
    }),
  );
}
