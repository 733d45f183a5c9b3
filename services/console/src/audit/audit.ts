import { AuditLog } from '@tollgate/db';
import type { Caller } from '../auth/caller.ts';

export interface Change {
  before?: unknown;
  after?: unknown;
}

/** Notes what an administrator changed. Secrets must have been left out of `before` and `after`. */
export async function audit(actor: Caller, action: string, target: string, change: Change = {}): Promise<void> {
  await AuditLog.create({ at: new Date(), actorId: actor.id, actorName: actor.username, action, target, ...change });
}
