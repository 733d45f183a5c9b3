import { mailAddress, mostQuota, role, userStatus } from '@tollgate/contracts';
import type { UserDoc } from '@tollgate/db';
import { z } from 'zod';
import { isImportedHash } from '../auth/passwords.ts';
import type { SourceUser } from './rows.ts';

export interface MappedUser {
  fields: Pick<
    UserDoc,
    'username' | 'displayName' | 'role' | 'status' | 'group' | 'affCode' | 'affCount' | 'affQuota' | 'affHistoryQuota'
  > & {
    passwordHash?: string;
    email: string;
    githubId: string;
    wechatId: string;
    telegramId: string;
    linuxDoId: string;
    oidcId: string;
    accessTokenHash?: string;
    setting?: string;
    formerProofs?: string[];
    rewards?: string[];
    mustChangePassword?: boolean;
  };
  /** What the balance is to be, in quota units. */
  quota: number;
  changes: string[];
}

/** Why an account of the source is left out; undefined where it is imported. */
export function leftOutUser({ deleted_at, status, username }: SourceUser): string | undefined {
  if (deleted_at) return 'the account is deleted';
  if (status === 3) return 'the account is deleted (status 3)';
  return username === '' ? 'the account has no name' : undefined;
}

/** What an account of the source becomes, before its names and proofs are compared with those of others. */
export function mapUser(row: SourceUser): MappedUser {
  const changes: string[] = [];
  const isStatusKnown = row.status === userStatus.enabled || row.status === userStatus.disabled;
  if (!isStatusKnown) changes.push(`its status ${row.status} becomes disabled`);
  if (row.quota < 0) changes.push(`its balance ${row.quota} becomes 0`);
  const kept = ownFields(row.own);
  const hasPassword = isImportedHash(row.password);
  if (!hasPassword && row.password !== '') changes.push('its password is left out: it is no bcrypt hash');
  const email = row.email === '' ? '' : (mailAddress.safeParse(row.email).data ?? '');
  if (row.email !== '' && email === '') changes.push('its email address is left out: it is not valid');
  if (row.github_id !== '' && !/^\d+$/.test(row.github_id)) changes.push('its GitHub name is left out: accounts are known by number here');
  if (row.oidc_id !== '') changes.push('its OIDC id is left out: the source does not say which issuer gave it');
  if (row.lark_id !== '' || row.discord_id !== '') changes.push('its Lark or Discord id is left out: there is no such sign-in here');
  if (row.setting !== '' && row.setting !== '{}') changes.push('its notification settings are left out');
  return {
    fields: {
      username: row.username,
      displayName: row.display_name || row.username,
      ...(hasPassword && { passwordHash: row.password }),
      role: roleOf(row.role, changes),
      status: row.status === userStatus.enabled ? userStatus.enabled : userStatus.disabled,
      group: row.group || 'default',
      email,
      githubId: /^\d+$/.test(row.github_id) ? row.github_id : '',
      wechatId: row.wechat_id,
      telegramId: row.telegram_id,
      linuxDoId: row.linux_do_id,
      oidcId: '',
      affCode: row.aff_code,
      affCount: Math.max(0, row.aff_count),
      affQuota: Math.max(0, row.aff_quota),
      affHistoryQuota: Math.max(0, row.aff_history),
      ...kept,
    },
    quota: Math.min(Math.max(0, row.quota), mostQuota),
    changes,
  };
}

/** There is one root here: the first of the source is merged with it. */
function roleOf(given: number, changes: string[]): number {
  if (given === role.user || given === role.admin) return given;
  const known = given >= role.admin ? role.admin : role.user;
  changes.push(`its role ${given} becomes ${known === role.admin ? 'administrator' : 'user'}`);
  return known;
}

const ownUser = z
  .object({
    passwordHash: z.string().regex(/^\$(?:argon2id|2[aby])\$|^scrypt:/),
    accessTokenHash: z.string(),
    oidcId: z.string(),
    setting: z.string(),
    formerProofs: z.array(z.string()),
    rewards: z.array(z.string()),
    mustChangePassword: z.boolean(),
  })
  .partial();

/** What an export of Tollgate stores of an account besides. */
function ownFields(own: Record<string, unknown>) {
  const fields = Object.entries(own).filter(([, value]) => value !== undefined && value !== null);
  const read = fields.filter(([name, value]) => ownUser.safeParse({ [name]: value }).success);
  return ownUser.parse(Object.fromEntries(read));
}
