import { z } from 'zod';
import { line, pageQuery, queryText, rowVersion } from './common.ts';

export const username = line
  .min(1)
  .max(12)
  .regex(/^[^\s@]+$/, 'may hold neither blanks nor @');
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
});
export type UpdateSelfBody = z.infer<typeof updateSelfBody>;

export const manageUserBody = z.object({ id: z.int().positive(), action: z.enum(['promote', 'demote', 'disable', 'enable', 'delete']) });
export type ManageUserBody = z.infer<typeof manageUserBody>;

export const listUsersQuery = pageQuery.extend({ keyword: queryText, group: queryText });
export type ListUsersQuery = z.infer<typeof listUsersQuery>;

/** Body of PUT /api/user/setting: how and when its owner is warned. */
export const userSettingBody = z
  .object({
    notify_type: z.enum(['email', 'webhook']),
    quota_warning_threshold: z.number().positive().max(1e15),
    webhook_url: z.string().trim().max(1000).default(''),
    webhook_secret: z.string().max(255).default(''),
    notification_email: z.union([z.email(), z.literal('')]).default(''),
  })
  .refine(({ notify_type, webhook_url }) => notify_type !== 'webhook' || isWebAddress(webhook_url), {
    path: ['webhook_url'],
    message: 'must be an https address',
  });

function isWebAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol;
  return protocol === 'https:' || protocol === 'http:';
}
export type UserSettingBody = z.infer<typeof userSettingBody>;

/** What signing in answers. `factory_password`: it is the one everybody knows, or was made for the first sign-in, and has to be changed at once. */
export interface LoginView extends UserView {
  factory_password: boolean;
}

/** Groups that a user may use, by name: GET /api/user/self/groups. */
export type UserGroupsView = Record<string, { ratio: number; desc: string }>;

/** A user as the console shows it. No secret is in it; `password` is there, and empty, because older clients read it. */
export interface UserView {
  id: number;
  username: string;
  password: '';
  display_name: string;
  role: number;
  status: number;
  email: string;
  github_id: string;
  wechat_id: string;
  telegram_id: string;
  linux_do_id: string;
  /** What is left when every answered call is charged. */
  quota: number;
  /** The same: an edit that sends `quota` back says by it what it has changed. */
  quota_shown: number;
  used_quota: number;
  request_count: number;
  group: string;
  aff_code: string;
  aff_count: number;
  aff_quota: number;
  aff_history_quota: number;
  inviter_id: number;
  DeletedAt: string | null;
  setting: string;
  created_time: number;
  version: number;
}
