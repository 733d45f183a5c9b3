import { runPipeline } from '../aggregate/pipeline.ts';
import { CommandError } from '../errors.ts';
import type { Store } from '../store.ts';
import type { Doc } from '../values/document.ts';
import { count, type Request, refuseCollation, type Work } from './request.ts';

/** `aggregate` on a collection. */
export function aggregate(store: Store, request: Request): Work {
  const { body, db } = request;
  refuseCollation(body);
  if (body.explain === true) throw new CommandError(2, 'the bundled store does not explain queries');
  if (!Array.isArray(body.pipeline)) throw new CommandError(14, "BSON field 'aggregate.pipeline' is missing or not an array");
  const cursor = body.cursor as Doc | undefined;
  if (cursor === undefined) throw new CommandError(9, "The 'cursor' option is required, except for aggregate with the explain argument");
  const name = body.aggregate;
  if (typeof name !== 'string') throw new CommandError(73, '{aggregate: 1} is not valid for this pipeline');
  const stream = runPipeline(store, body.pipeline as Doc[], { db, name, hint: body.hint, variables: body.let as Doc | undefined });
  return store.cursors.open(`${db}.${name}`, stream, {
    batchSize: count(cursor, 'batchSize'),
    connectionId: request.connectionId,
  });
}
