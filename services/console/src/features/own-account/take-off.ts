import { type Bound, role, type WaysInView } from '@tollgate/contracts';
import { Passkey, User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { audit } from '../../audit/audit.ts';
import type { Caller } from '../../auth/caller.ts';
import { secondFactorOf } from '../../auth/second-factor.ts';
import type { Context } from '../../context.ts';
import { changeRow } from '../../row-change.ts';
import { boundFields } from '../third-party/provider.ts';
import { canSignIn, type Proofs, valueIn } from '../third-party/working-ways.ts';
import { changedProof } from '../users/identities.ts';
import { type AccountRow, accountRow, refuseEqualOrHigher } from '../users/service.ts';
import { listPasskeys } from './passkeys.ts';

/** How somebody below the caller's rank signs in. */
export async function waysInOf(id: number, actor: Caller): Promise<WaysInView> {
  const user = await touchable(id, actor);
  const [totp, passkeys] = await Promise.all([secondFactorOf(user.id), listPasskeys(user)]);
  return { second_factor: totp !== undefined, passkeys: passkeys.map(({ id: _, ...shown }) => shown) };
}

/** For people who have lost their device; whoever administrates makes sure that it is them. */
export async function takeOffSecondFactor(id: number, actor: Caller): Promise<void> {
  const user = await touchable(id, actor);
  const wasOn = (await secondFactorOf(id)) !== undefined;
  await User.updateOne({ id, role: user.role }, { $unset: { totp: 1 } });
  await audit(actor, 'user.second_factor_off', `user:${id}`, { before: { on: wasOn }, after: { on: false } });
}

/** For people who have lost what held them, or into whose account somebody else has brought his own. It may be the last way in: a new password is one. */
export async function takeOffPasskeys(context: Context, id: number, actor: Caller): Promise<void> {
  const user = await touchable(id, actor);
  refuseOwnLast(context, { ...user, hasPasskey: false }, actor);
  const passkeys = (await listPasskeys(user)).map(({ name }) => name);
  await Passkey.deleteMany({ userId: user.id });
  await endSessionsBy(context, user, 'passkey');
  await audit(actor, 'user.passkeys_off', `user:${id}`, { before: { passkeys }, after: { passkeys: [] } });
}

/** The same of what is bound. */
export async function takeOffBinding(context: Context, { id, provider }: { id: number; provider: Bound }, actor: Caller): Promise<void> {
  const field = boundFields[provider];
  const hasPasskey = (await Passkey.exists({ userId: id })) !== null;
  const { before } = await changeRow<AccountRow>(User, {
    read: () => touchable(id, actor),
    fields(row) {
      if (provider !== 'email') refuseOwnLast(context, { ...row, [field]: '', hasPasskey }, actor);
      return changedProof(row, field, '');
    },
  });
  await endSessionsBy(context, before, provider);
  await context.announce('user', id);
  await audit(actor, 'user.unbind', `user:${id}`, { before: { [provider]: before[field] ?? '' }, after: { [provider]: '' } });
}

/** The account as it stands, where the caller may touch it: root may touch all, others those below them. */
async function touchable(id: number, actor: Caller): Promise<AccountRow> {
  const user = await accountRow(id);
  if (actor.role < role.root || user.id !== actor.id) refuseEqualOrHigher(user, actor);
  return user;
}

/** Root may take away the last way to sign in of others, who can be given a password, but not its own. */
function refuseOwnLast({ options }: Context, proofs: Proofs & Pick<AccountRow, 'id'>, actor: Caller): void {
  if (proofs.id === actor.id && !canSignIn(proofs, valueIn(options.values))) throw new AppError('last_way_in');
}

/** Whoever came in by what is gone is out. */
async function endSessionsBy({ sessions }: Context, { id }: Pick<AccountRow, 'id'>, way: string): Promise<void> {
  const opened = (await sessions.list(id)).filter((session) => session.way === way);
  await Promise.all(opened.map(sessions.end));
}
