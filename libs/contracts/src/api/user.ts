import { z } from 'zod';
import { type WebhookForm, webhookForms } from '../webhook-forms.ts';
import { headerText, invisible, line, pageQuery, pageView, queryText, rowVersion } from './common.ts';
import { route } from './route.ts';

export const username = line
  .min(1)
  .max(12)
  .regex(/^[^\s@]+$/, 'may hold neither blanks nor @')
  // What nobody sees would make two names look the same.
  .regex(/^\P{Default_Ignorable_Code_Point}+$/u, invisible);
export const password = z.string().min(8).max(20);
const displayName = line.max(20);
const group = line.min(1).max(64);

/** Signing in takes any text as password: older, shorter ones must still work. `username` may be an e-mail address. */
export const loginBody = z.object({ username: z.string().trim().min(1).max(255), password: z.string().min(1).max(128) });
export type LoginBody = z.infer<typeof loginBody>;

export const createUserBody = z.object({ username, password, display_name: displayName.default(''), role: z.int().optional() });
export type CreateUserBody = z.infer<typeof createUserBody>;

/** Body of PUT /api/user/: only what is there changes. */
export const updateUserBody = z.object({
  id: z.int().positive(),
  version: rowVersion,
  username: username.optional(),
  display_name: displayName.optional(),
  password: z.union([password, z.literal('')]).optional(),
  group: group.optional(),
  /** The quota wanted. Its difference to what this session was shown is posted to the ledger. */
  quota: z.int().min(0).max(1e15).optional(),
  /** The quota that the form was made on, as the view said. */
  quota_shown: z.int().optional(),
  /** Rather than `quota`: what to add, or to take when it is negative. */
  add_quota: z.int().min(-1e15).max(1e15).optional(),
});
export type UpdateUserBody = z.infer<typeof updateUserBody>;

export const updateSelfBody = z.object({
  version: rowVersion,
  username: z.union([username, z.literal('')]).optional(),
  display_name: displayName.optional(),
  password: z.union([password, z.literal('')]).optional(),
  /** The password that is to be replaced; an account without one needs none. */
  original_password: z.string().max(128).optional(),
  /** Or a code of the second step in its place. */
  code: z.string().max(64).optional(),
});
export type UpdateSelfBody = z.infer<typeof updateSelfBody>;

export const manageUserBody = z.object({ id: z.int().positive(), action: z.enum(['promote', 'demote', 'disable', 'enable', 'delete']) });
export type ManageUserBody = z.infer<typeof manageUserBody>;

export const listUsersQuery = pageQuery.extend({ keyword: queryText, group: queryText });
export type ListUsersQuery = z.infer<typeof listUsersQuery>;

const webhookForm = z.enum(webhookForms).default('json');

const chatMissing = { path: ['webhook_url'], message: 'must have a chat_id in its query' };

function namesItsChat({ webhook_form, webhook_url }: { webhook_form: WebhookForm; webhook_url: string }): boolean {
  return webhook_form !== 'telegram' || Boolean(URL.parse(webhook_url)?.searchParams.get('chat_id'));
}

/** Body of PUT /api/user/setting: how and when its owner is warned. */
export const userSettingBody = z
  .object({
    notify_type: z.enum(['email', 'webhook']),
    quota_warning_threshold: z.number().positive().max(1e15),
    webhook_url: z.string().trim().max(1000).default(''),
    webhook_secret: headerText.max(255).default(''),
    webhook_form: webhookForm,
    notification_email: z.union([z.email().max(254), z.literal('')]).default(''),
  })
  .refine(({ notify_type, webhook_url }) => notify_type !== 'webhook' || isWebAddress(webhook_url), {
    path: ['webhook_url'],
    message: 'must be an https address',
  })
  .refine(namesItsChat, chatMissing);

export type UserSettingBody = z.infer<typeof userSettingBody>;

/** A webhook that may not be stored yet. */
export const testWebhookBody = z
  .object({
    webhook_url: z.string().trim().max(1000).refine(isWebAddress, 'must be an https address'),
    webhook_secret: headerText.max(255).default(''),
    webhook_form: webhookForm,
  })
  .refine(namesItsChat, chatMissing);
export type TestWebhookBody = z.infer<typeof testWebhookBody>;

function isWebAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol;
  return protocol === 'https:' || protocol === 'http:';
}

/** A user as the console shows it. No secret is in it; `password` is there, and empty, because older clients read it. */
export const userView = z.object({
  id: z.number(),
  username: z.string(),
  password: z.literal(''),
  display_name: z.string(),
  role: z.number(),
  status: z.number(),
  email: z.string(),
  github_id: z.string(),
  wechat_id: z.string(),
  telegram_id: z.string(),
  linux_do_id: z.string(),
  oidc_id: z.string(),
  /** What is left when every answered call is charged. */
  quota: z.number(),
  /** The same: an edit that sends `quota` back says by it what it has changed. */
  quota_shown: z.number(),
  used_quota: z.number(),
  request_count: z.number(),
  group: z.string(),
  aff_code: z.string(),
  aff_count: z.number(),
  aff_quota: z.number(),
  aff_history_quota: z.number(),
  inviter_id: z.number(),
  DeletedAt: z.string().nullable(),
  setting: z.string(),
  created_time: z.number(),
  version: z.number(),
});
export type UserView = z.infer<typeof userView>;

/**
 * What signing in answers. `factory_password`: the password must be changed at once. It is the default of every installation, or with
 * `temporary_password` one that was printed for one sign-in.
 */
export const loginView = userView.extend({ factory_password: z.boolean(), temporary_password: z.boolean() });
export type LoginView = z.infer<typeof loginView>;
/** Or a session is not open yet: the account has a second step. */
export const loginAnswer = z.union([loginView, z.object({ require_2fa: z.literal(true) })]);
export type LoginAnswer = z.infer<typeof loginAnswer>;

const managedView = userView.pick({ role: true, status: true });

export const signInRoutes = {
  'POST /api/user/login': route({
    summary: 'Signs in by name or e-mail address and password, and sets the cookie of a session',
    access: 'anyone',
    turnstile: true,
    query: z.object({ turnstile: z.string().max(2048).default('') }),
    body: loginBody,
    answer: loginAnswer,
    example: { body: { username: 'root', password: 'root for tests' } },
  }),
  'GET /api/user/logout': route({ summary: 'Ends the session', access: 'anyone' }),
};

export const userRoutes = {
  'GET /api/user/self': route({ summary: 'Who is signed in', access: 'user', evenWithFirstPassword: true, answer: userView }),
  'PUT /api/user/self': route({
    summary: 'Changes the own name or password',
    access: 'user',
    evenWithFirstPassword: true,
    body: updateSelfBody,
    example: { body: { display_name: 'Root' } },
  }),
  'DELETE /api/user/self': route({ summary: 'Closes the own account', access: 'user' }),
  'GET /api/user/token': route({
    summary: 'Makes a new system access token in place of the old one; it is shown this once',
    access: 'user',
    answer: z.string(),
  }),
  'GET /api/user/aff': route({ summary: 'The own code for inviting others', access: 'user', answer: z.string() }),
  'PUT /api/user/setting': route({
    summary: 'How and when one is warned that the quota runs out',
    access: 'user',
    body: userSettingBody,
    example: { body: { notify_type: 'email', quota_warning_threshold: 500_000, notification_email: 'me@example.com' } },
  }),
  'POST /api/user/setting/test': route({
    summary: 'Sends a test notice to a webhook, by the stored secret when none is given',
    access: 'user',
    limiter: 'critical',
    body: testWebhookBody,
    unaudited: 'it changes nothing',
    needs: 'a webhook that is reached by https',
    example: { body: { webhook_url: 'https://webhook.invalid' } },
  }),
  'GET /api/user': route({ summary: 'Users, the newest first', access: 'admin', query: pageQuery, answer: pageView(userView) }),
  'GET /api/user/search': route({
    summary: 'Users by id, a part of their names or e-mail address, and group',
    access: 'admin',
    query: listUsersQuery,
    answer: pageView(userView),
    example: { query: { keyword: 'a', group: 'default' } },
  }),
  'GET /api/user/:id': route({ summary: 'One user', access: 'admin', answer: userView, example: { params: { id: 2 } } }),
  'POST /api/user': route({
    summary: 'Makes an ordinary account',
    access: 'admin',
    body: createUserBody,
    example: { body: { username: 'grace', password: 'hopper-1906', display_name: 'Grace' } },
  }),
  'PUT /api/user': route({
    summary: 'Changes what the body names of a user',
    access: 'admin',
    body: updateUserBody,
    example: { body: { id: 2, display_name: 'Ada' } },
  }),
  'POST /api/user/manage': route({
    summary: 'Promotes, demotes, switches off or on, or deletes a user',
    access: 'admin',
    body: manageUserBody,
    answer: managedView,
    undoable: true,
    example: { body: { id: 2, action: 'disable' } },
  }),
  'DELETE /api/user/:id': route({
    summary: 'Deletes a user',
    access: 'admin',
    undoable: true,
    example: { params: { id: 2 } },
  }),
};
