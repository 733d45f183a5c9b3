import { writeAll } from './bulk.ts';

type Group<Counted> = [Counted, ...Counted[]];
interface Increment {
  $inc: Record<string, number>;
  $setOnInsert: () => Record<string, unknown>;
}

interface RollUp {
  // biome-ignore lint/suspicious/noExplicitAny: the collections' own types differ in their rows only
  bulkWrite(operations: any[], options: { ordered: false }): Promise<{ matchedCount: number; upsertedCount: number }>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  find(filter: any, options: object): { toArray(): Promise<Record<string, any>[]> };
}

/** Rows known to exist, so that updates need not repeat their constant fields. Cleared now and then. */
const existing = new Set<string>();
const mostExisting = 100_000;

/**
 * Adds each group to its row if the row's mark is before the group's first event. That is nearly always so and needs no read. Otherwise an
 * update matches no row or an upsert collides: then the marks are read and only events beyond them are added.
 */
export async function countOnce<Counted extends { offset: string }>(
  rollUp: RollUp,
  mark: string,
  groups: Map<string, Counted[]>,
  increment: (own: Group<Counted>, id: string) => Increment,
): Promise<void> {
  const markPath = `marks.${mark}`;
  let open = [...groups];
  while (open.length > 0) {
    const operations = open.map(([_id, charges]) => {
      const own = charges as Group<Counted>;
      const { $inc, $setOnInsert } = increment(own, _id);
      const filter = { _id, [markPath]: { $not: { $gte: own[0].offset } } };
      const $set = { [markPath]: own[own.length - 1]?.offset };
      return existing.has(_id)
        ? { updateOne: { filter, update: { $inc, $set } } }
        : { updateOne: { filter, update: { $inc, $set, $setOnInsert: $setOnInsert() }, upsert: true } };
    });
    const { done } = await writeAll(rollUp, operations);
    if (done === operations.length) {
      if (existing.size > mostExisting) existing.clear();
      for (const [id] of open) existing.add(id);
      return;
    }
    const stored = await rollUp.find({ _id: { $in: open.map(([id]) => id) } }, { projection: { [markPath]: 1 } }).toArray();
    const marks = new Map(stored.map((row) => [row._id, row.marks?.[mark] as string | undefined]));
    for (const [id] of open) if (!marks.has(id)) existing.delete(id);
    open = open
      .map(([id, charges]): [string, Counted[]] => [id, charges.filter(({ offset }) => offset > (marks.get(id) ?? ''))])
      .filter(([, charges]) => charges.length > 0);
  }
}
