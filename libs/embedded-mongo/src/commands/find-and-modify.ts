import { CommandError } from '../errors.ts';
import { compileFilter } from '../query/filter.ts';
import { compileProjection } from '../query/projection.ts';
import type { Store } from '../store.ts';
import { compileUpdate } from '../update/apply.ts';
import { decode } from '../values/decode.ts';
import type { Doc } from '../values/document.ts';
import { collectionName, type Request, refuseCollation, type Work } from './request.ts';
import { applyTo, firstRow, insertUpsert } from './update.ts';

/** `findAndModify`: one document is found and changed in one step. */
export function* findAndModify(store: Store, request: Request): Work {
  const { body, db } = request;
  const name = collectionName(request);
  refuseCollation(body);
  const filter = compileFilter((body.query as Doc | undefined) ?? {});
  const project = compileProjection((body.fields ?? body.projection) as Doc | undefined, filter.source);
  const shown = (doc: Buffer) => decode(project ? project(doc) : doc);
  if (body.remove === true && body.update !== undefined) throw new CommandError(9, 'Cannot specify both an update and remove=true');
  if (body.remove !== true && body.update === undefined) throw new CommandError(9, 'Either an update or remove=true must be specified');
  const search = { filter, hint: body.hint, sort: body.sort, patient: body.upsert !== true };

  if (body.remove === true) {
    const collection = store.catalogue.find(db, name);
    const row = collection && (yield* firstRow(store, collection, search));
    if (!collection || !row) return { lastErrorObject: { n: 0 }, value: null, ok: 1 };
    store.rows.remove(collection, row);
    return { lastErrorObject: { n: 1 }, value: shown(row.doc), ok: 1 };
  }

  const change = compileUpdate(body.update, {
    arrayFilters: body.arrayFilters as Doc[] | undefined,
    variables: body.let as Doc | undefined,
  });
  const collection = body.upsert === true ? store.catalogue.ensure(db, name) : store.catalogue.find(db, name);
  const row = collection && (yield* firstRow(store, collection, search));
  if (collection && row) {
    const { doc } = applyTo(store, collection, { row, filter, change });
    return { lastErrorObject: { n: 1, updatedExisting: true }, value: shown(body.new === true ? doc : row.doc), ok: 1 };
  }
  if (!collection || body.upsert !== true) return { lastErrorObject: { n: 0, updatedExisting: false }, value: null, ok: 1 };
  const { id, doc } = insertUpsert(store, collection, { filter, change });
  return { lastErrorObject: { n: 1, updatedExisting: false, upserted: id }, value: body.new === true ? shown(doc) : null, ok: 1 };
}
