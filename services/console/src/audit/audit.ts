import { AuditLog } from '@tollgate/db';
import type { Caller } from '../auth/caller.ts';

export interface Change {
  before?: unknown;
  after?: unknown;
}

/** Notes what an administrator changed. Secrets must have been left out of `before` and `after`. */
export async function audit(actor: Caller, action: string, target: string, change: Change = {}): Promise<void> {
  await auditEach(actor, action, [{ target, ...change }]);
}

/** The same of many things at once: a row for each, in one write. */
export async function auditEach(actor: Caller, action: string, changes: (Change & { target: string })[]): Promise<void> {
  const at = new Date();
  await AuditLog.insertMany(changes.map((change) => ({ at, actorId: actor.id, actorName: actor.username, action, ...change })));
}
