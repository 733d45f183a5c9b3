import { Long } from 'bson';
import type { Store } from '../store.ts';
import { count, type Request, type Work } from './request.ts';

/** `getMore` */
export function getMore(store: Store, { body, db }: Request): Work {
  const id = (body.getMore as Long).toBigInt();
  return store.cursors.more(id, { ns: `${db}.${String(body.collection)}`, batchSize: count(body, 'batchSize') });
}

/** `killCursors` */
export function killCursors(store: Store, { body }: Request) {
  const ids = (body.cursors as unknown[]).map((id) => Long.fromString(String(id)));
  const [cursorsKilled, cursorsNotFound] = [ids.filter((id) => store.cursors.kill(id.toBigInt())), [] as Long[]];
  for (const id of ids) if (!cursorsKilled.includes(id)) cursorsNotFound.push(id);
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [], ok: 1 };
}
