import { CommandError } from '../errors.ts';
import { compileFilter } from '../query/filter.ts';
import { compileProjection } from '../query/projection.ts';
import { parseSort } from '../query/sort.ts';
import { countMatching, documents, documentsOfValues } from '../query/stream.ts';
import type { Store } from '../store.ts';
import { decodeValue } from '../values/decode.ts';
import type { Doc } from '../values/document.ts';
import { beginKey, endKey, putValue } from '../values/key.ts';
import { parsePath, visitPath } from '../values/raw.ts';
import { collectionName, count, type Request, refuseCollation, type Work } from './request.ts';

/** `find` */
export function find(store: Store, request: Request): Work {
  const { body, db } = request;
  const name = collectionName(request);
  refuseCollation(body);
  if (body.tailable === true) throw new CommandError(2, 'the bundled store has no tailable cursors');
  const filter = compileFilter((body.filter as Doc | undefined) ?? {});
  const limit = count(body, 'limit') || undefined;
  const stream = documents(store, store.catalogue.find(db, name), {
    filter,
    sort: parseSort(body.sort),
    skip: count(body, 'skip'),
    limit,
    hint: body.hint,
    project: compileProjection(body.projection as Doc | undefined, filter.source),
  });
  return store.cursors.open(`${db}.${name}`, stream, {
    batchSize: count(body, 'batchSize'),
    singleBatch: body.singleBatch === true,
    connectionId: request.connectionId,
  });
}

/** `count` */
export function* countCommand(store: Store, request: Request): Work {
  const { body, db } = request;
  refuseCollation(body);
  const collection = store.catalogue.find(db, collectionName(request));
  const filter = compileFilter((body.query as Doc | undefined) ?? {});
  const n = yield* countMatching(store, collection, {
    filter,
    skip: count(body, 'skip'),
    limit: count(body, 'limit') || undefined,
    hint: body.hint,
  });
  return { n, ok: 1 };
}

/** `distinct`: values in the order of first sight; arrays give their elements. A range of an index's first field is leapt through. */
export function* distinct(store: Store, request: Request): Work {
  const { body, db } = request;
  refuseCollation(body);
  const path = parsePath(String(body.key));
  const filter = compileFilter((body.query as Doc | undefined) ?? {});
  const values = new Map<string, unknown>();
  const collection = store.catalogue.find(db, collectionName(request));
  for (const doc of documentsOfValues(store, collection, path.name, { filter, hint: body.hint })) {
    if (doc === undefined) {
      yield undefined;
      continue;
    }
    visitPath(doc, 0, path, (type, at, whole) => {
      if (type === 0 || whole) return;
      beginKey();
      putValue(doc, type, at);
      const key = endKey().toString('latin1');
      if (!values.has(key)) values.set(key, decodeValue(doc, type, at));
    });
  }
  return { values: [...values.values()], ok: 1 };
}
