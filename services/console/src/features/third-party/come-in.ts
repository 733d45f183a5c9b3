import { randomBytes } from 'node:crypto';
import { type ThirdParty, userStatus } from '@tollgate/contracts';
import { isDuplicate, User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import { refuseUnconfirmed } from '../../auth/confirm-owner.ts';
import type { Visit } from '../../auth/visit.ts';
import type { Context } from '../../context.ts';
import { refuseUnwelcome } from '../accounts/mails.ts';
import { type Entered, enter } from '../sign-in/enter.ts';
import { changedProof } from '../users/identities.ts';
import { openAccount } from '../users/open-account.ts';
import { changeOwnRow } from '../users/self.ts';
import { type Identity, idFields, providerNames } from './provider.ts';

/** Lets whoever a provider vouched for in, with a new account where there is none yet and the site takes new people. */
export async function completeOauth(
  context: Context,
  identity: Identity,
  { affCode, visit }: { affCode: string; visit: Visit },
): Promise<Entered> {
  const user = (await accountOf(identity)) ?? (await register(context, identity, affCode));
  if (user.deletedAt) throw new AppError('account_closed');
  if (user.status !== userStatus.enabled) throw new AppError('user_banned');
  await followGroup(context, identity, user);
  return enter(context, { user, way: identity.provider, visit });
}

/** Makes the identity one of the ways in of whoever is signed in. It belongs to one account, a closed one too. */
export async function bind(context: Context, { provider, label, id }: Identity, caller: Caller): Promise<void> {
  if (caller.mustChangePassword) throw new AppError('password_must_change');
  await refuseUnconfirmed(context, caller);
  const taken = (cause?: unknown) => new AppError('already_bound', { provider: label ?? providerNames[provider] }, { cause });
  const field = idFields[provider];
  const owner = await User.findOne({ [field]: id })
    .select('id')
    .lean();
  if (owner && owner.id !== caller.id) throw taken();
  await changeOwnRow(caller, { fields: (row) => changedProof(row, field, id) }).catch((error) => {
    throw isDuplicate(error, field) ? taken(error) : error;
  });
  await context.announce('user', caller.id);
}

/** Whoever the provider has moved to another group is in it here as well, from this sign-in on. */
async function followGroup(context: Context, { group }: Identity, user: { id: number; group: string }): Promise<void> {
  if (group === undefined || group === user.group || !Object.hasOwn(context.options.values.GroupRatio, group)) return;
  await User.updateOne({ id: user.id }, { $set: { group }, $inc: { version: 1 } });
  user.group = group;
  await context.announce('user', user.id);
}

function accountOf({ provider, id }: Identity) {
  return User.findOne({ [idFields[provider]]: id })
    .select('+passwordHash')
    .lean();
}

async function register(context: Context, identity: Identity, affCode: string) {
  if (identity.provider === 'telegram') throw new AppError('not_bound', { provider: providerNames.telegram });
  if (!context.options.values.RegisterEnabled) throw new AppError('registration_disabled');
  identity.refuseNew?.();
  const email = await freeAddress(context, (await identity.email?.()) ?? '');
  const who = { [idFields[identity.provider]]: identity.id, email, affCode, displayName: displayNameOf(identity) };
  const names = [(id: number) => nameFor(identity.provider, id), oddName(identity.provider), oddName(identity.provider)];
  for (const username of names) {
    try {
      return await openAccount(context, { ...who, username });
    } catch (error) {
      if (error instanceof AppError && error.code === 'username_taken') continue;
      // The same person in another window was quicker.
      const user = isDuplicate(error, idFields[identity.provider]) ? await accountOf(identity) : null;
      if (user) return user;
      throw error;
    }
  }
  throw new AppError('username_taken');
}

/** An address that the provider has verified, where the site wants it and nobody has it. */
async function freeAddress({ options }: Context, email: string): Promise<string> {
  if (email === '') return '';
  try {
    refuseUnwelcome(email, options.values);
  } catch {
    return '';
  }
  return (await User.exists({ email })) ? '' : email;
}

const longestName = 12;
const longestDisplayName = 20;
const shortPrefixes = { github: 'gh', linuxdo: 'ld', wechat: 'wx', telegram: 'tg', oidc: 'oi' } as const;

/** Never longer than names may be: edits of the profile would be refused for ever. */
function nameFor(provider: ThirdParty, id: number): string {
  const name = `${provider}_${id}`;
  return name.length <= longestName ? name : `${shortPrefixes[provider]}_${id}`.slice(0, longestName);
}

/** Where somebody has taken the name that would be next. */
function oddName(provider: ThirdParty): string {
  return `${shortPrefixes[provider]}_${randomBytes(6).toString('hex')}`.slice(0, longestName);
}

/** Within what a display name may be, whatever the provider lets people call themselves. */
function displayNameOf({ provider, label, name }: Identity): string {
  const shown = name.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, '').trim();
  let short = '';
  for (const character of shown) if (short.length + character.length <= longestDisplayName) short += character;
  return short.trim() || `${label ?? providerNames[provider]} User`.slice(0, longestDisplayName);
}
