import { randomBytes } from 'node:crypto';
import { type Language, role, type TestWebhookBody, type UpdateSelfBody, type UserSettingBody, type UserView } from '@tollgate/contracts';
import { seal, User, unseal } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import { accessTokenHash, refuseLockedOut } from '../../auth/authenticate.ts';
import type { Caller } from '../../auth/caller.ts';
import { confirmOwner } from '../../auth/confirm-owner.ts';
import { originOf, refuseInsecure } from '../../auth/request-origin.ts';
import type { Visit } from '../../auth/visit.ts';
import type { Context } from '../../context.ts';
import { placeOfWebhookSecret, settingOf } from '../../notices/way.ts';
import { callWebhook } from '../../notices/webhook.ts';
import { noticeOf } from '../../notices/words.ts';
import { changeRow, type RowChange } from '../../row-change.ts';
import { throwTaken } from './identities.ts';
import { settleGrants } from './owed.ts';
import { type AccountRow, accountRow, newPassword, renamed, viewOf } from './service.ts';
import { deleteStoredObjects } from './stored-objects.ts';

export async function getSelf(context: Context, caller: Caller): Promise<UserView> {
  const user = await User.findOne({ id: caller.id, deletedAt: null }).lean();
  if (!user) throw new AppError('not_logged_in');
  if (user.owed?.length) await settleGrants(context, user);
  return viewOf(context, user);
}

/**
 * Changes what is given and not empty. A new password needs the old one or a second factor, and ends all sessions and the access token; the returned
 * cookie opens a new session for this browser.
 */
export async function updateSelf(
  context: Context,
  body: UpdateSelfBody,
  { caller, visit }: { caller: Caller; visit: Visit },
): Promise<string | undefined> {
  if (body.password) await refuseStranger(context, body, { caller, address: visit.address });
  const passwordHash = body.password ? await context.passwords.hash(body.password) : undefined;
  await changeOwnRow(caller, {
    fields: (row) => ({
      ...(body.username && renamed(row, body.username)),
      ...(body.display_name && { displayName: body.display_name }),
      ...(passwordHash && newPassword(passwordHash)),
    }),
    editing: { seen: body.version, view: (row) => viewOf(context, row) },
  }).catch(throwTaken);
  await context.announce('user', caller.id);
  if (!passwordHash) return undefined;
  await context.sessions.endAll(caller.id);
  if (caller.session === undefined) return undefined;
  return context.sessions.open({ userId: caller.id, passwordHash, way: 'password', isStrong: false, visit });
}

async function refuseStranger(
  context: Context,
  { password, original_password: original, code }: UpdateSelfBody,
  asks: { caller: Caller; address: string },
): Promise<void> {
  await confirmOwner(context, { password: original, code }, asks);
  if (original && password === original) throw new AppError('invalid_parameter', { reason: 'the new password is the old one' });
}

/** Closes the account. Its name stays taken, its tokens stop at once, and what the Responses API stored for it is deleted. */
export async function deleteSelf(context: Context, caller: Caller): Promise<void> {
  if (caller.role >= role.root) throw new AppError('root_cannot_leave');
  await changeOwnRow(caller, { fields: () => ({ deletedAt: new Date() }) });
  await context.sessions.endAll(caller.id);
  await context.announce('user', caller.id);
  await deleteStoredObjects([caller.id]);
}

/** A new system access token in place of the old one. Only its hash is kept: this answer is the one time it is shown. */
export async function renewAccessToken(caller: Caller): Promise<string> {
  const accessToken = randomBytes(24).toString('base64url');
  await changeOwnRow(caller, { fields: () => ({ accessTokenHash: accessTokenHash(accessToken) }) });
  return accessToken;
}

/** Changes the caller's account, while this is how it stands: who was locked out meanwhile changes nothing. */
export function changeOwnRow(caller: Caller, change: Omit<RowChange<AccountRow>, 'read'>) {
  return changeRow<AccountRow>(User, {
    ...change,
    async read() {
      const row = await accountRow(caller.id);
      refuseLockedOut(caller, row);
      return row;
    },
  });
}

export async function affCodeOf(context: Context, caller: Caller): Promise<string> {
  return (await getSelf(context, caller)).aff_code;
}

/**
 * Replaces the settings of warnings; only what the chosen way needs is kept. The webhook's secret is sealed; an empty one keeps the stored one.
 * Notices come in the language that they were saved in.
 */
export async function updateSetting({ egressByOrigin }: Context, body: UserSettingBody, caller: Caller, language: Language): Promise<void> {
  const { notify_type, quota_warning_threshold, webhook_url, webhook_secret, webhook_form, notification_email } = body;
  if (notify_type === 'webhook') refuseInsecure(webhook_url, caller, egressByOrigin);
  const user = await User.findOne({ id: caller.id }).select('setting').lean();
  const stored = settingOf({ setting: user?.setting ?? '' });
  const secret = webhook_secret ? seal(webhook_secret, placeOfWebhookSecret(caller.id)) : stored.webhook_secret;
  const way = notify_type === 'webhook' ? { webhook_url, webhook_secret: secret, webhook_form } : { notification_email };
  const setting = JSON.stringify({ notify_type, quota_warning_threshold, language, ...way });
  await User.updateOne({ id: caller.id }, { $set: { setting } });
}

/** Calls a webhook at once with a test notice; without a secret, with the one that is stored. Throws `webhook_failed`. */
export async function testWebhook(
  { egressByOrigin, options }: Context,
  body: TestWebhookBody,
  caller: Caller,
  language: Language,
): Promise<void> {
  const { webhook_url: url, webhook_form: form } = body;
  refuseInsecure(url, caller, egressByOrigin);
  const { id, setting } = await accountRow(caller.id);
  const stored = settingOf({ setting });
  const isStored = !body.webhook_secret && stored.webhook_url === url && stored.webhook_secret !== undefined;
  const secret = isStored ? unseal(stored.webhook_secret ?? '', placeOfWebhookSecret(id)) : body.webhook_secret;
  await callWebhook(
    { egress: egressByOrigin, origin: originOf(caller), worker: options.values },
    { url, secret, form },
    noticeOf('test', { site: options.values.SystemName }, language),
  );
}
