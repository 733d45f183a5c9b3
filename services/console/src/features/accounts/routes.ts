import { randomUUID } from 'node:crypto';
import { type accountRoutes, createTokenBody, type Language, type LogText, type RegisterBody } from '@tollgate/contracts';
import { User, type UserDoc } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { said } from '../../http/answer.ts';
import type { Handlers } from '../../http/handlers.ts';
import { makeTokens } from '../tokens/service.ts';
import { nameFields } from '../users/identities.ts';
import { openAccount } from '../users/open-account.ts';
import { settleGrants } from '../users/owed.ts';
import { bindEmail, refuseTakenAddress, refuseUnwelcome, resetPassword, sendReset, sendTestMail, sendVerification } from './mails.ts';

const defaultTokenQuota = 500_000;

/** Makes an account by name and password, where the site lets people in that way. Nobody is signed in by it. */
async function register(context: Context, body: RegisterBody, language: Language): Promise<void> {
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

export function accountHandlers(context: Context): Handlers<typeof accountRoutes> {
  return {
    'GET /api/verification': ({ query, caller, language }) => sendVerification(context, query.email, { caller, language }),
    'POST /api/user/register': ({ body, language }) => register(context, body, language),
    'GET /api/reset_password': ({ query, language }) => sendReset(context, query.email, language),
    'POST /api/user/reset': ({ body }) => resetPassword(context, body),
    'GET /api/oauth/email/bind': ({ query, caller }) => bindEmail(context, query, caller),
    'POST /api/user/aff_transfer': async ({ body, caller }) => {
      await transferInviteQuota(context, body.quota, caller);
      return said(undefined, { en: 'Transferred', zh: '划转成功' });
    },
    'POST /api/option/test_mail': async ({ body, language }) => {
      await sendTestMail(context, body.email, language);
      return said(undefined, { en: 'The test mail was sent', zh: '测试邮件已发送' });
    },
  };
}

/**
 * Moves what invitations have earned to the balance. One conditional write takes it and notes that it is owed, so that transfers at the
 * same time never move more than there is, and what a process that dies leaves owing is given later, once.
 */
async function transferInviteQuota(context: Context, quota: number, caller: Caller): Promise<void> {
  const minimum = context.options.values.QuotaPerUnit;
  if (quota < minimum) throw new AppError('transfer_too_small', { minimum });
  const text: LogText = { code: 'invite_transfer', values: { quota } };
  const user = await User.findOneAndUpdate(
    { id: caller.id, affQuota: { $gte: quota } },
    { $inc: { affQuota: -quota }, $push: { owed: { id: `aff:${randomUUID()}`, amount: quota, text } } },
    { returnDocument: 'after' },
  ).lean();
  if (!user) throw new AppError('insufficient_invite_quota');
  await settleGrants(context, user);
}
