import type { OptionValues, PriceHistoryView } from '@tollgate/contracts';
import { PriceHistory, Proposal } from '@tollgate/db';
import { pricesOf } from '@tollgate/pricing';
import { slices } from '@tollgate/runtime';
import type { Context } from '../../context.ts';
import { dollarsOf, tablesOf } from '../options/catalog-prices.ts';
import type { Offered } from '../pricing/offered-models.ts';

const mostKept = 200;

/** Prices are compared again after this long, though nothing is known to have changed. */
const longestMs = 3_600_000;
const noted = new WeakMap<Offered, { options: OptionValues; untilMs: number }>();

/**
 * Notes the prices of offered models that are others than those noted last, whatever changed them: an option, the catalog, a new release, the time.
 * Prices everything only after a change of the options or of the channels, when a price that depends on the time ends, or after an hour.
 * Returns whether it did.
 */
export async function notePrices({ options, offered }: Pick<Context, 'options' | 'offered'>): Promise<boolean> {
  const [values, models] = [await options.read(), await offered.read()];
  const atMs = Date.now();
  const before = noted.get(models);
  if (before?.options === values && atMs < before.untilMs) return false;
  const tables = tablesOf(values);
  const rows = await PriceHistory.find({}, { entries: { $slice: -1 } }).lean();
  const last = new Map(rows.map(({ _id, entries }) => [_id, entries.at(-1)?.prices]));
  const pause = slices();
  let untilMs = atMs + longestMs;
  for (const model of models.keys()) {
    const turn = pause();
    if (turn !== undefined) await turn;
    const price = pricesOf(model, { group: '', atMs }, tables);
    if (price === undefined) continue;
    untilMs = Math.min(untilMs, price.untilMs ?? untilMs);
    const prices = JSON.stringify(Object.fromEntries(dollarsOf(price)));
    if (last.get(model) === prices) continue;
    const entry = { at: new Date(atMs), prices };
    await PriceHistory.updateOne({ _id: model }, { $push: { entries: { $each: [entry], $slice: -mostKept } } }, { upsert: true });
  }
  noted.set(models, { options: values, untilMs });
  return true;
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
