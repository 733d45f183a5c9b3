import { CommandError } from '../errors.ts';
import { compileFilter } from '../query/filter.ts';
import { matchingRows, planOf } from '../query/stream.ts';
import type { Store } from '../store.ts';
import { decode } from '../values/decode.ts';
import type { Doc } from '../values/document.ts';
import { collectionName, count, type Request, rawList, refuseCollation, type Work, writeError } from './request.ts';
import { firstRow } from './update.ts';

/** `delete`: large ones go in slices, between which other commands run. */
export function* remove(store: Store, request: Request): Work {
  const name = collectionName(request);
  const ordered = request.body.ordered !== false;
  const writeErrors: Doc[] = [];
  let n = 0;
  for (const [index, raw] of rawList(request, 'deletes').entries()) {
    try {
      n += yield* removeMatching(store, { db: request.db, name, statement: decode(raw) });
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      writeErrors.push(writeError(index, error));
      if (ordered) break;
    }
  }
  return writeErrors.length > 0 ? { n, writeErrors, ok: 1 } : { n, ok: 1 };
}

function* removeMatching(store: Store, target: { db: string; name: string; statement: Doc }): Generator<undefined, number> {
  const { statement } = target;
  refuseCollation(statement);
  const filter = compileFilter(statement.q as Doc);
  const collection = store.catalogue.find(target.db, target.name);
  if (collection === undefined) return 0;
  if (count(statement, 'limit') === 1) {
    const row = yield* firstRow(store, collection, { filter, hint: statement.hint, patient: true });
    if (row) store.rows.remove(collection, row);
    return row ? 1 : 0;
  }
  let removed = 0;
  const plan = planOf(store, collection, { filter, hint: statement.hint });
  for (const rows of matchingRows(store, collection, { filter, plan, pieceRows: 64 })) {
    if (rows === undefined) yield undefined;
    else for (const row of rows) store.rows.remove(collection, row); // as they were read: nothing ran in between
    removed += rows?.length ?? 0;
  }
  return removed;
}
