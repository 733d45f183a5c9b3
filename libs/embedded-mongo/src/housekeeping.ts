import { commands } from './commands/registry.ts';
import { bytesOf, type Command, type Request } from './commands/request.ts';
import type { Executor } from './executor.ts';
import type { Store } from './store.ts';

/**
 * Removes documents of TTL indexes whose time is over, as ordinary deletes in slices, forgets idle cursors, and writes index
 * entries in quiet moments. Returns how to stop.
 */
export function startHousekeeping(store: Store, executor: Executor, { intervalMs }: { intervalMs: number }): () => void {
  const sweep = () => {
    store.cursors.expire(Date.now());
    for (const db of store.catalogue.databases()) {
      for (const collection of store.catalogue.list(db)) {
        for (const { built, expireAfterSeconds, fields, partial } of collection.indexes) {
          const field = fields[0]?.path.name;
          if (!built || field === undefined || expireAfterSeconds === undefined) continue;
          const due = new Date(Date.now() - expireAfterSeconds * 1000);
          executor.submit({
            command: commands.get('delete') as Command,
            request: deleteRequest(db, collection.name, { $and: [{ [field]: { $lt: due } }, ...(partial ? [partial.source] : [])] }),
            isAlive: () => true,
            reply: () => {},
          });
        }
      }
    }
  };
  const timers = [setInterval(sweep, intervalMs), setInterval(executor.tidy, 1000)];
  for (const timer of timers) timer.unref();
  return () => timers.forEach(clearInterval);
}

function deleteRequest(db: string, collection: string, q: Record<string, unknown>): Request {
  const body = { delete: collection, $db: db };
  return { name: 'delete', db, body, raw: bytesOf(body), sequences: new Map([['deletes', [bytesOf({ q, limit: 0 })]]]), connectionId: 0 };
}
