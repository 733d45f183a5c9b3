import { ImportModel, ImportRow, type ImportRowDoc, lastId, nextId, passIds } from '@tollgate/db';
import type { Run } from './run.ts';
import { numbersOf } from './source.ts';

const sequences = { user: 'users', token: 'tokens', channel: 'channels', code: 'redemptions' } as const;
const tables = { user: 'users', token: 'tokens', channel: 'channels', code: 'redemptions' } as const;
type Numbered = keyof typeof sequences;
export type PlacedKind = Numbered | 'budget' | 'passkey' | 'option' | 'top-up';

/** Where a row of the source stands here. In a dry run `id` is 0 where a new one would be given. */
export type Place = Pick<ImportRowDoc, '_id' | 'id' | 'isDone' | 'quota' | 'posting' | 'name'> & { quotaAfter?: number | null };

export interface Wanted {
  /** Its id at the source. */
  key: string;
  /** Its place is given already: it is merged with something here. */
  id?: number;
  name?: string;
  /** What the first posting brings its quota to. */
  quota?: number;
}

/**
 * Keeps the ids of the source for its rows where they were never given here: from then on nothing new gets them. What is kept is noted
 * first, so that a run that was killed is finished under the same ids.
 */
export async function keepIds(run: Run): Promise<void> {
  if (run.product === 'litellm') return; // its ids are no numbers
  const stored = await ImportModel.findById(run.name).lean();
  run.ranges = (stored?.ranges ?? []).map(({ kind, after, to }) => ({ kind: kind ?? '', after: after ?? 0, to: to ?? 0 }));
  for (const kind of Object.keys(sequences) as Numbered[]) {
    if (!run.source.tables.has(tables[kind])) continue;
    const { last = 0 } = await numbersOf(run.source, `SELECT MAX("id") AS "last" FROM "${tables[kind]}"`);
    const after = await lastId(sequences[kind]);
    if (last > after && !run.ranges.some((range) => range.kind === kind && range.to >= last)) {
      run.ranges.push({ kind, after, to: last });
      if (run.apply) await ImportModel.updateOne({ _id: run.name }, { $push: { ranges: { kind, after, to: last } } });
    }
    const top = Math.max(0, ...run.ranges.filter((range) => range.kind === kind).map(({ to }) => to));
    if (run.apply) await passIds(sequences[kind], top);
  }
}

/** The places of these rows; those that have none yet are given one. */
export async function placesOf(run: Run, kind: PlacedKind, wanted: readonly Wanted[]): Promise<Map<string, Place>> {
  const idOf = (key: string) => `${run.name}/${kind}/${key}`;
  const read = () => ImportRow.find({ _id: { $in: wanted.map(({ key }) => idOf(key)) } }).lean();
  const known = new Map((await read()).map((row) => [row._id, row as Place]));
  const fresh: Place[] = [];
  for (const { key, id, name = '', quota } of wanted) {
    if (known.has(idOf(key))) continue;
    const place = { _id: idOf(key), id: id ?? (await newId(run, kind, key)), isDone: false, quota: 0, name };
    const pending = quota === undefined || quota === 0 ? { posting: 0 } : { posting: 1, quotaAfter: quota };
    fresh.push({ ...place, ...pending });
  }
  if (run.apply && fresh.length > 0) await ImportRow.insertMany(fresh.map((place) => ({ ...place, importId: run.name, kind })));
  for (const place of fresh) known.set(place._id, place);
  return new Map(wanted.map(({ key }) => [key, known.get(idOf(key)) as Place]));
}

async function newId(run: Run, kind: PlacedKind, key: string): Promise<number> {
  if (kind === 'option' || kind === 'top-up' || kind === 'passkey') return 0;
  if (kind === 'budget') return run.apply ? nextId('budgets') : 0;
  const id = Number(key);
  if (run.ranges.some((range) => range.kind === kind && id > range.after && id <= range.to)) return id;
  return run.apply ? nextId(sequences[kind]) : 0;
}

/** Notes that these rows are written whole. */
export async function markDone(run: Run, places: readonly Place[]): Promise<void> {
  if (run.apply && places.length > 0)
    await ImportRow.updateMany({ _id: { $in: places.map(({ _id }) => _id) } }, { $set: { isDone: true } });
}
