import { type OptionKey, optionValue } from '@tollgate/contracts';
import { Passkey, User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { canSignIn, signInOptions } from '../third-party/working-ways.ts';
import type { CheckedOption } from './checks.ts';

type Changes = ReadonlyMap<OptionKey, CheckedOption>;

/** The text of an option as it will be after the changes; undefined is the default. */
export function textAfter(stored: ReadonlyMap<OptionKey, string>, changes: Changes): (key: OptionKey) => string | undefined {
  return (key) => {
    const change = changes.get(key);
    return change ? change.text : stored.get(key);
  };
}

/** Throws `own_last_way_in` when the one who changes the options could sign in before, and could not afterwards. */
export async function refuseLockOut({ options: { stored } }: Context, changes: Changes, actor: Caller): Promise<void> {
  if (![...changes.keys()].some((key) => signInOptions.has(key))) return;
  const [user, passkey] = await Promise.all([
    User.findOne({ id: actor.id }).select('+passwordHash').lean(),
    Passkey.exists({ userId: actor.id }),
  ]);
  const proofs = { ...user, hasPasskey: passkey !== null };
  const textThen = textAfter(stored, changes);
  const couldBefore = canSignIn(proofs, (key) => optionValue(key, stored.get(key)));
  if (couldBefore && !canSignIn(proofs, (key) => optionValue(key, textThen(key)))) throw new AppError('own_last_way_in');
}
