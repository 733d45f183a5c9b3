import { randomBytes } from 'node:crypto';
import type { BindEmailQuery, Language, OptionValues, ResetPasswordBody } from '@tollgate/contracts';
import { User } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import { refuseUnconfirmed } from '../../auth/confirm-owner.ts';
import { codeLifeMinutes } from '../../auth/mail-codes.ts';
import type { Context } from '../../context.ts';
import { resetLetter, testLetter, verificationLetter } from '../../mail/letters.ts';
import { postLetter } from '../../mail/post-letter.ts';
import { changedProof, throwTaken } from '../users/identities.ts';
import { changeOwnRow } from '../users/self.ts';
import { newPassword } from '../users/service.ts';

/** Mails a code to an address: to whoever is signed in, for binding it to that account; to anyone else, for opening one. */
export async function sendVerification(
  context: Context,
  email: string,
  { caller, language }: { caller: Caller | undefined; language: Language },
): Promise<void> {
  refuseUnwelcome(email, context.options.values);
  await refuseTakenAddress(email);
  const code = await context.codes.issue(caller ? { bindTo: caller.id } : 'register', email);
  const letter = verificationLetter(language, { site: context.options.values.SystemName, code, minutes: codeLifeMinutes });
  await postLetter(context, email, { letter, goodForMs: codeLifeMinutes * 60_000 });
}

/** Mails the address of a page where its owner gets a new password. It leads to the site as root named it, whatever the request said. */
export async function sendReset(context: Context, email: string, language: Language): Promise<void> {
  const { ServerAddress, SystemName } = context.options.values;
  if (ServerAddress === '') throw new AppError('mail_not_set_up', { needed: 'ServerAddress' });
  if (!(await User.exists({ email, deletedAt: null }))) throw new AppError('email_unknown');
  const token = await context.codes.issue('reset', email);
  const address = `${ServerAddress}/user/reset?${new URLSearchParams({ email, token })}`;
  const letter = resetLetter(language, { site: SystemName, address, minutes: codeLifeMinutes });
  await postLetter(context, email, { letter, goodForMs: codeLifeMinutes * 60_000 });
}

/** A new password for whoever holds the mailed token; answers it. Whoever was signed in is out. */
export async function resetPassword(context: Context, { email, token }: ResetPasswordBody): Promise<string> {
  if (!(await context.codes.take('reset', email, token))) throw new AppError('reset_link_invalid');
  const password = randomBytes(9).toString('base64url');
  const fields = newPassword(await context.passwords.hash(password));
  const user = await User.findOneAndUpdate(
    { email, deletedAt: null },
    { $set: { passwordHash: fields.passwordHash }, $unset: { accessTokenHash: 1, mustChangePassword: 1 }, $inc: { version: 1 } },
  ).lean();
  if (!user) throw new AppError('reset_link_invalid');
  await context.sessions.endAll(user.id);
  await context.announce('user', user.id);
  return password;
}

export async function bindEmail(context: Context, { email, code }: BindEmailQuery, caller: Caller): Promise<void> {
  await refuseUnconfirmed(context, caller);
  if (!(await context.codes.take({ bindTo: caller.id }, email, code))) throw new AppError('wrong_verification_code');
  await changeOwnRow(caller, { fields: (row) => changedProof(row, 'email', email) }).catch(throwTaken);
  await context.announce('user', caller.id);
}

/** What the mail server said is for root, who asked for it. */
export async function sendTestMail({ mailer, options }: Context, email: string, language: Language): Promise<void> {
  await mailer.send(email, testLetter(language, { site: options.values.SystemName }));
}

/** Throws for an address that the site does not want: of another domain, or an alias of one that it has already. */
export function refuseUnwelcome(email: string, options: OptionValues): void {
  const [local = '', domain = ''] = email.split('@');
  const welcome = options.EmailDomainWhitelist.map((each) => each.toLowerCase());
  if (options.EmailDomainRestrictionEnabled && !welcome.includes(domain))
    throw new AppError('email_domain_refused', { domains: welcome.join(', ') });
  if (options.EmailAliasRestrictionEnabled && /[+.]/.test(local)) throw new AppError('email_alias_refused');
}

/** Addresses of closed accounts stay taken, as their names do. */
export async function refuseTakenAddress(email: string): Promise<void> {
  if (await User.exists({ email })) throw new AppError('email_taken');
}
