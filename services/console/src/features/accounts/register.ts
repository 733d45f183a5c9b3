import { createTokenBody, type Language, type RegisterBody } from '@tollgate/contracts';
import { User, type UserDoc } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Context } from '../../context.ts';
import { makeTokens } from '../tokens/service.ts';
import { nameFields } from '../users/look-alike.ts';
import { openAccount } from '../users/open-account.ts';
import { refuseTakenAddress, refuseUnwelcome } from './mails.ts';

const defaultTokenQuota = 500_000;

/** Makes an account by name and password, where the site lets people in that way. Nobody is signed in by it. */
export async function register(context: Context, body: RegisterBody, language: Language): Promise<void> {
  const { RegisterEnabled, PasswordRegisterEnabled, EmailVerificationEnabled } = context.options.values;
  if (!RegisterEnabled) throw new AppError('registration_disabled');
  if (!PasswordRegisterEnabled) throw new AppError('password_registration_disabled');
  // Looked at before the code is used up; the indexes decide.
  const name = nameFields(body.username);
  for (const field of ['username', 'nameKey', 'nameSkeleton'] as const)
    if (await User.exists({ [field]: name[field] })) throw new AppError('username_taken');
  const email = EmailVerificationEnabled ? await provenAddress(context, body) : '';
  const passwordHash = await context.passwords.hash(body.password);
  const account = await openAccount(context, { username: body.username, passwordHash, email, affCode: body.aff_code });
  if (context.givesDefaultToken) await giveToken(context, account, language);
}

async function provenAddress({ codes, options }: Context, { email, verification_code: code }: RegisterBody): Promise<string> {
  if (email === '' || code === '') throw new AppError('email_and_code_needed');
  refuseUnwelcome(email, options.values);
  await refuseTakenAddress(email);
  if (!(await codes.take('register', email, code))) throw new AppError('wrong_verification_code');
  return email;
}

async function giveToken(context: Context, { id, username, role, group }: UserDoc, language: Language): Promise<void> {
  const name = { en: `${username}'s initial token`, zh: `${username}的初始令牌` }[language];
  const token = createTokenBody.parse({ name, remain_quota: defaultTokenQuota, unlimited_quota: true });
  await makeTokens(context, token, [name], { id, username, role, group, mustChangePassword: false, session: undefined, stamp: '' });
}
