import { CommandError } from '../errors.ts';
import { compileFilter } from '../query/filter.ts';
import type { Plan } from '../query/plan.ts';
import { parseSort } from '../query/sort.ts';
import { planOf } from '../query/stream.ts';
import type { Store } from '../store.ts';
import type { Doc } from '../values/document.ts';
import { collectionName, type Request } from './request.ts';

/** `explain` of a `find`: which index it walks and whether it sorts, in the shape that MongoDB answers `queryPlanner` with. */
export function explain(store: Store, { body, db, ...request }: Request): Doc {
  const asked = body.explain as Doc;
  if (typeof asked?.find !== 'string') throw new CommandError(2, 'the bundled store explains find only');
  const collection = store.catalogue.find(db, collectionName({ ...request, db, name: 'find', body: asked }));
  if (!collection) return { queryPlanner: { winningPlan: { stage: 'EOF' } }, ok: 1 };
  const query = { filter: compileFilter((asked.filter as Doc | undefined) ?? {}), sort: parseSort(asked.sort), hint: asked.hint };
  const plan = planOf(store, collection, query, { mayMerge: true, maySift: true });
  return { queryPlanner: { winningPlan: plan.sorted ? walkOf(plan) : { stage: 'SORT', inputStage: walkOf(plan) } }, ok: 1 };
}

function walkOf({ index, ranges, reverse }: Plan): Doc {
  const direction = reverse ? 'backward' : 'forward';
  if (index) return { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: index.name, keyPattern: index.spec.key, direction } };
  if (ranges) return { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: '_id_', keyPattern: { _id: 1 }, direction } };
  return { stage: 'COLLSCAN', direction };
}
