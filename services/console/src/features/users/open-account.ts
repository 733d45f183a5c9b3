import { type LogText, role } from '@tollgate/contracts';
import { nextId, User, type UserDoc } from '@tollgate/db';
import type { Context } from '../../context.ts';
import { nameFields, newAffCode, throwTaken, wereHereBefore } from './identities.ts';
import { settleGrants } from './owed.ts';

/** Who an account is for. At least a password or one of the ids at a provider, or nobody ever comes in. */
export interface NewAccount
  extends Partial<Pick<UserDoc, 'email' | 'githubId' | 'wechatId' | 'telegramId' | 'linuxDoId' | 'oidcId' | 'group'>> {
  /** Or how to make it of the account's id. */
  username: string | ((id: number) => string);
  /** Default: the user name. */
  displayName?: string;
  passwordHash?: string;
  /** Of whoever invited them; an unknown one counts as none. */
  affCode?: string;
}

type Owed = { id: string; amount: number; inviterId?: number; text: LogText };

/**
 * Makes an ordinary account with what new accounts get. All of it is decided in one write; what a process that dies leaves owing is
 * given when its owner comes next. Whoever had an account before by the same address or id elsewhere, and gave that up there, gets nothing again. Throws
 * `username_taken` or `email_taken`.
 */
export async function openAccount(context: Context, { username, affCode = '', displayName, ...who }: NewAccount): Promise<UserDoc> {
  const id = await nextId('users');
  const name = typeof username === 'string' ? username : username(id);
  const inviter = affCode === '' ? null : await User.findOne({ affCode, deletedAt: null }).select('id').lean();
  const account = await User.create({
    ...who,
    id,
    ...nameFields(name),
    displayName: displayName || name,
    role: role.user,
    affCode: newAffCode(),
    inviterId: inviter?.id ?? 0,
    owed: giftsFor({ id, username: name, inviterId: inviter?.id }, context),
    createdAt: new Date(),
  }).catch(throwTaken);
  await context.wallet.open(id);
  // Asked when the account stands: who gives a proof up at the same time had done so before it could be used here.
  if (await wereHereBefore(who)) await account.set('owed', undefined).save();
  else await settleGrants(context, account);
  return account;
}

function giftsFor(
  { id, username, inviterId }: { id: number; username: string; inviterId: number | undefined },
  { options }: Context,
): Owed[] {
  const { QuotaForNewUser, QuotaForInvitee, QuotaForInviter } = options.values;
  const gifts: Owed[] = [
    { id: `grant:new-user:${id}`, amount: QuotaForNewUser, text: { code: 'new_user_gift', values: { quota: QuotaForNewUser } } },
  ];
  if (inviterId !== undefined) {
    gifts.push(
      { id: `grant:invitee:${id}`, amount: QuotaForInvitee, text: { code: 'invitee_gift', values: { quota: QuotaForInvitee } } },
      {
        id: `invite:${id}`,
        amount: QuotaForInviter,
        inviterId,
        text: { code: 'inviter_gift', values: { username, quota: QuotaForInviter } },
      },
    );
  }
  return gifts.filter(({ amount, inviterId }) => amount > 0 || inviterId !== undefined);
}
