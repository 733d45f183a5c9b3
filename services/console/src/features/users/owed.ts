import { logType } from '@tollgate/contracts';
import { User, type UserDoc } from '@tollgate/db';
import type { Context } from '../../context.ts';

type Debtor = Pick<UserDoc, 'id' | 'username' | 'owed'>;
type Owed = NonNullable<UserDoc['owed']>[number];

/**
 * Gives what is owed to an account, or for it to its inviter: each entry once, whoever does it and however often. One that cannot be given
 * stops neither the others nor its owner, and is tried again by the job `pay-owed`.
 */
export async function settleGrants(
  { wallet, log }: Pick<Context, 'wallet' | 'log'>,
  { id: userId, username, owed }: Debtor,
): Promise<void> {
  for (const entry of owed ?? []) {
    try {
      if (entry.inviterId) await reward(wallet, entry, entry.inviterId);
      else await wallet.post({ id: entry.id, userId, amount: entry.amount, reason: 'grant', log: logOf(entry, username) });
      await User.updateOne({ id: userId }, { $pull: { owed: { id: entry.id } } });
    } catch (error) {
      log.error({ err: error, userId, owed: entry.id }, 'what is owed to an account could not be given');
    }
  }
}

/** All accounts to which something is owed. */
export function owedAccounts(): AsyncIterable<Debtor> {
  return User.find({ 'owed.id': { $gt: '' } })
    .select('id username owed')
    .lean()
    .cursor();
}

/** What invitations earn waits beside the balance until its owner moves it; the log says so with a posting of nothing. */
async function reward(wallet: Context['wallet'], { id, amount, text }: Owed, inviterId: number): Promise<void> {
  const inviter = await User.findOneAndUpdate(
    { id: inviterId, rewards: { $ne: id } },
    {
      $inc: { affCount: 1, affQuota: amount, affHistoryQuota: amount },
      $push: { rewards: { $each: [id], $slice: -1000 } },
    },
  ).lean();
  const username = inviter?.username ?? (await User.findOne({ id: inviterId }).select('username').lean())?.username;
  if (amount > 0) await wallet.post({ id, userId: inviterId, amount: 0, reason: 'invite', log: logOf({ text, amount }, username ?? '') });
}

function logOf({ text, amount }: Pick<Owed, 'text' | 'amount'>, username: string) {
  return { type: logType.system, username, text, quota: amount } as const;
}
