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

const hostOf = (address: string): string | undefined => URL.parse(address)?.hostname;

/**
 * What `FormerServerAddress` becomes when `ServerAddress` changes in a request to `host`: the address by which whoever changes it reached us. Undefined
 * where it stays, as it does while they still come by an older one.
 */
export function formerAddressAfter(
  { options }: Pick<Context, 'options'>,
  changes: ReadonlyMap<OptionKey, string | undefined>,
  host: string | undefined,
): string | undefined {
  const { ServerAddress } = options.values;
  if (!changes.has('ServerAddress') || changes.has('FormerServerAddress')) return undefined;
  if (ServerAddress === '' || hostOf(`http://${host}`) !== hostOf(ServerAddress)) return undefined;
  return hostOf(changes.get('ServerAddress') ?? '') === hostOf(ServerAddress) ? undefined : ServerAddress;
}

/** Whether root has reached us by the new address, so that the former one is needed no more. */
export function isNewAddressSeen({ options }: Pick<Context, 'options'>, host: string | undefined): boolean {
  const { ServerAddress, FormerServerAddress } = options.values;
  return FormerServerAddress !== '' && hostOf(`http://${host}`) === hostOf(ServerAddress);
}
