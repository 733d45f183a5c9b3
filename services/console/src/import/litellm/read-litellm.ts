import { packed } from '@tollgate/db';
import type { z } from 'zod';
import type { Source, SourceSecrets } from '../source.ts';
import { allowedModels, type BudgetHere, callLimitsOf, groupOf, moneyOf, type Names, nameOfUser, quotaOf, withBudget } from './accounts.ts';
import { type FamilyDatabase, openFamilyDatabase } from './family-database.ts';
import { readModels } from './read-models.ts';
import { readSpendLogs } from './read-spend-logs.ts';
import {
  type LitellmKey,
  type LitellmTeam,
  type LitellmUser,
  litellmBudget,
  litellmKey,
  litellmTeam,
  litellmUser,
  rowsOf,
} from './rows.ts';

/** LiteLLM's own account, which keys belong to that were made with the master key. */
const masterAccount = 'default_user_id';
const enabled = 1;
const disabled = 2;
/** Fields by which LiteLLM narrows what a key may do, and for which there is nothing here. */
const narrowing = ['permissions', 'policies'] as const;

interface Reading {
  source: Source;
  family: FamilyDatabase;
  names: Names;
  grant: number;
  /** Ids of accounts in the family's tables by `user:<id>` and `team:<id>`. */
  accounts: Map<string, number>;
  teams: Map<string, LitellmTeam>;
  users: Map<string, LitellmUser>;
}

/**
 * LiteLLM's database in the tables of the product family: users, an account for each team that holds its keys and pays for them, keys by
 * their hashes, models as channels, budgets. Money is in US dollars there and is rounded to quota units.
 */
export async function readLitellm(source: Source, { secret = '', grant = 0, logs = 'none' }: SourceSecrets): Promise<Source> {
  const family = openFamilyDatabase(source);
  const reading: Reading = {
    ...{ source, family, grant: quotaOf(grant), accounts: new Map(), teams: new Map(), users: new Map() },
    names: { models: [], accessGroups: new Map() },
  };
  for await (const team of read(reading, 'LiteLLM_TeamTable', 'team_id', litellmTeam)) reading.teams.set(team.team_id, team);
  reading.names = await readModels({ source, family, secret, teams: [...reading.teams.values()] });
  const ratios = Object.fromEntries(['default', ...[...reading.teams.values()].map(groupOf)].map((group) => [group, 1]));
  if (reading.teams.size > 0) family.add('options', { key: 'GroupRatio', value: JSON.stringify(ratios) });
  for await (const user of read(reading, 'LiteLLM_UserTable', 'user_id', litellmUser)) addUser(reading, user);
  for (const team of reading.teams.values()) addTeam(reading, team);
  const owners = await addKeys(reading);
  await readSpendLogs({ source, family, owners, accounts: reading.accounts }, logs);
  return family.finished();
}

async function* read<Row>(
  { source, family }: Pick<Reading, 'source' | 'family'>,
  table: string,
  key: string,
  schema: z.ZodType<Row>,
): AsyncGenerator<Row> {
  for await (const row of rowsOf(source, table, key)) {
    const parsed = schema.safeParse(row);
    const [issue] = parsed.error?.issues ?? [];
    if (parsed.success) yield parsed.data;
    else family.leftOut('table', table, `a row cannot be read: ${issue?.path.join('.')} ${issue?.message}`);
  }
}

const roles: Readonly<Record<string, number>> = { proxy_admin: 10 };

function addUser(reading: Reading, user: LitellmUser): void {
  const { family, accounts, users } = reading;
  const ref = `user:${user.user_id}`;
  const isMaster = user.user_id === masterAccount;
  const note = (text: string) => family.changed('user', `${ref} (${nameOfUser(user)})`, text);
  if (user.user_role.endsWith('_viewer')) note(`its role ${user.user_role} becomes that of a user`);
  if (user.password !== '' && !user.password.startsWith('scrypt:')) note('its password is left out: only scrypt hashes are taken over');
  noteCallLimits(user, note);
  const id = family.add('users', {
    ref,
    ...{ username: nameOfUser(user), display_name: user.user_alias, email: user.user_email, status: enabled },
    role: isMaster ? 100 : (roles[user.user_role] ?? 1),
    group: 'default',
    quota: balanceOf(reading, { note, isMaster }, user),
    used_quota: quotaOf(user.spend),
    created_at: user.created_at,
    own: user.password.startsWith('scrypt:') ? packed({ passwordHash: user.password }) : '',
  });
  accounts.set(ref, id);
  users.set(user.user_id, user);
}

function addTeam(reading: Reading, team: LitellmTeam): void {
  const ref = `team:${team.team_id}`;
  const note = (text: string) => reading.family.changed('user', `${ref} (${team.team_alias})`, text);
  note(`an account of its own holds the keys of the team and pays for them, in the group ${groupOf(team)}`);
  noteCallLimits(team, note);
  const id = reading.family.add('users', {
    ref,
    ...{ username: `team-${groupOf(team)}`, display_name: groupOf(team), status: team.blocked ? disabled : enabled, role: 1 },
    ...{ group: groupOf(team), quota: balanceOf(reading, { note, isMaster: false }, team), used_quota: quotaOf(team.spend) },
    created_at: team.created_at,
  });
  reading.accounts.set(ref, id);
}

function noteCallLimits(account: LitellmUser | LitellmTeam, note: (text: string) => void): void {
  const limits = Object.entries(callLimitsOf(account)).filter(([, value]) => value > 0);
  if (limits.length > 0) note(`its limits on ${limits.map(([name]) => name).join(', ')} are left out: accounts have none here`);
}

/** What is left of an account's budget; without one that never resets, what `--grant` gives. */
function balanceOf(
  { family, grant }: Reading,
  { note, isMaster }: { note(text: string): void; isMaster: boolean },
  account: LitellmUser | LitellmTeam,
): number {
  const { remain, budgets, changes } = moneyOf(account, account.spend);
  for (const text of changes) note(text);
  const id = family.count('users') + 1;
  for (const budget of budgets) addBudget(family, { subject: 'user', id }, budget);
  if (remain !== undefined) return remain;
  if (isMaster) return 0;
  note(
    grant > 0
      ? `it has no limit at the source and gets a balance of ${grant} (--grant)`
      : 'it has no limit at the source, and there is no balance to take over: its calls are refused until it has one (--grant)',
  );
  return grant;
}

function addBudget(family: FamilyDatabase, { subject, id }: { subject: string; id: number }, budget: BudgetHere): void {
  const ref = `${subject}:${id}:${budget.window}:${budget.models.join()}`;
  family.add('budgets', { ref, subject, subject_id: String(id), own: packed({ ...budget, byAdmin: true }) });
}

/** Returns the accounts of the keys. */
async function addKeys(reading: Reading): Promise<Map<string, number>> {
  const owners = new Map<string, number>();
  const budgets = new Map<string, z.output<typeof litellmBudget>>();
  for await (const budget of read(reading, 'LiteLLM_BudgetTable', 'budget_id', litellmBudget)) budgets.set(budget.budget_id, budget);
  for await (const key of read(reading, 'LiteLLM_VerificationToken', 'token', litellmKey)) {
    const owner = addKey(reading, withBudget(key, budgets));
    if (owner !== undefined) owners.set(key.token, owner);
  }
  return owners;
}

/** The account of a user. LiteLLM accepts keys of users that it does not have. */
function accountOf({ family, accounts, grant }: Reading, userId: string): number {
  const ref = `user:${userId}`;
  const known = accounts.get(ref);
  if (known !== undefined) return known;
  const isMaster = userId === masterAccount;
  if (!isMaster)
    family.changed('user', ref, 'there is no such user at the source: an account is made for its keys, with what --grant gives');
  const quota = isMaster ? 0 : grant;
  const id = family.add('users', { ref, username: userId, role: isMaster ? 100 : 1, status: enabled, quota, group: 'default' });
  accounts.set(ref, id);
  return id;
}

function addKey(reading: Reading, key: LitellmKey): number | undefined {
  const { family, accounts, teams, users, names } = reading;
  const name = key.key_alias || key.key_name;
  const nextId = family.count('tokens') + 1;
  const note = (text: string) => family.changed('token', `${nextId} (${name})`, text);
  const team = teams.get(key.team_id);
  const owner = key.team_id === '' ? users.get(key.user_id || masterAccount) : undefined;
  if (key.team_id !== '' && team === undefined) {
    family.leftOut('token', `${nextId} (${name})`, `its team ${key.team_id} does not exist`);
    return undefined;
  }
  const account = team ? accounts.get(`team:${key.team_id}`) : accountOf(reading, key.user_id || masterAccount);
  const { remain, budgets, changes } = moneyOf(key, key.spend);
  for (const text of changes) note(text);
  const outer = team ? allowedModels(team.models, names) : allowedModels(owner?.models ?? [], names);
  const models = allowedModels(key.models, names, outer);
  const mayCall = key.allowed_routes.length === 0 || key.allowed_routes.includes('llm_api_routes');
  const isEmpty = models?.size === 0;
  const narrowed = narrowing.filter((field) => Object.keys(key[field]).length > 0);
  if (!mayCall) note(`it may only use ${key.allowed_routes.join(', ')}: it is disabled`);
  if (isEmpty) note('it may use no model: it is disabled');
  if (narrowed.length > 0) note(`its ${narrowed.join(', ')} have no counterpart: it is disabled`);
  if (Object.keys(key.aliases).length > 0) note('its model aliases are left out');
  const isOn = !key.blocked && mayCall && !isEmpty && narrowed.length === 0;
  const id = family.add('tokens', {
    ref: key.token,
    ...{ user_id: account ?? 0, key: '', key_hash: key.token, name, status: isOn ? enabled : disabled },
    ...{ created_time: key.created_at, expired_time: key.expires || -1, remain_quota: remain ?? 0 },
    ...{ unlimited_quota: Number(remain === undefined), used_quota: quotaOf(key.total_spend ?? key.spend) },
    ...{ model_limits_enabled: Number(models !== undefined), model_limits: [...(models ?? [])].join(',') },
    own: packed(callLimitsOf(key)),
  });
  for (const budget of budgets) addBudget(family, { subject: 'token', id }, budget);
  return account;
}
