import { randomUUID } from 'node:crypto';
import { logType, mostQuota, type UpdateUserBody } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';

/** Throws where what is to be added or taken does not fit, before anything else of an edit is done. */
export async function refuseUnfitQuota({ wallet }: Context, { id, add_quota }: Pick<UpdateUserBody, 'id' | 'add_quota'>): Promise<void> {
  if (add_quota === undefined) return;
  const balance = (await wallet.remaining([id])).get(id) ?? 0;
  if (balance + add_quota < 0 || balance + add_quota > mostQuota) throw unfit(add_quota, balance);
}

/**
 * Posts to the ledger what is to be added. An absolute quota, as clients of the product family send it with every save, moves the
 * wallet by its difference to what the actor was shown: what is charged or given meanwhile is never undone by it.
 */
export async function changeQuota(
  context: Context,
  user: { id: number; username: string },
  body: Pick<UpdateUserBody, 'quota' | 'quota_shown' | 'add_quota'>,
  actor: Caller,
): Promise<void> {
  const before = (await context.wallet.remaining([user.id])).get(user.id) ?? 0;
  const amount =
    body.add_quota ?? (await differenceTo(context, { id: user.id, before, wanted: body.quota, shown: body.quota_shown }, actor));
  if (amount === 0) return;
  const text = { code: 'quota_changed', values: { actor: actor.username, change: `${amount > 0 ? '+' : ''}${amount}` } } as const;
  const log = { type: logType.manage, username: user.username, text, quota: amount };
  const id = `admin:${actor.id}:${randomUUID()}`;
  const posted = await context.wallet.post({ id, userId: user.id, amount, most: mostQuota, reason: 'admin', log });
  if (posted.state === 'refused') throw unfit(amount, posted.balance);
  await audit(actor, 'user.quota', `user:${user.id}`, { before, after: posted.balance });
}

function unfit(amount: number, balance: number): AppError {
  const reason = amount < 0 ? `the balance is ${balance}` : `the balance would be more than ${mostQuota}`;
  return new AppError('invalid_parameter', { reason });
}

async function differenceTo(
  { shown }: Context,
  { id, before, wanted, shown: echoed }: { id: number; before: number; wanted: number | undefined; shown: number | undefined },
  actor: Caller,
): Promise<number> {
  if (wanted === undefined) return 0;
  const taken = await shown.replace(actor, { kind: 'user', id, shown: echoed }, wanted);
  return Math.max(wanted - (taken ?? before), -before);
}
