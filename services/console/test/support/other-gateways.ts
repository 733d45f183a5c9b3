import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { hashSync } from '@node-rs/bcrypt';

/** The tables of new-api 0.6 (https://github.com/QuantumNous/new-api/tree/main/model) that an import reads, with their columns. */
const newApi = `
CREATE TABLE users (id integer PRIMARY KEY, username text UNIQUE, password text NOT NULL, display_name text, role integer DEFAULT 1, status integer DEFAULT 1, email text, github_id text, oidc_id text, wechat_id text, telegram_id text, linux_do_id text, access_token char(32), quota integer DEFAULT 0, used_quota integer DEFAULT 0, request_count integer DEFAULT 0, "group" varchar(64) DEFAULT 'default', aff_code varchar(32), aff_count integer DEFAULT 0, aff_quota integer DEFAULT 0, aff_history integer DEFAULT 0, inviter_id integer, deleted_at datetime, setting text);
CREATE TABLE tokens (id integer PRIMARY KEY, user_id integer, key char(48), status integer DEFAULT 1, name text, created_time integer, accessed_time integer, expired_time integer DEFAULT -1, remain_quota integer DEFAULT 0, unlimited_quota numeric DEFAULT false, model_limits_enabled numeric DEFAULT false, model_limits varchar(1024) DEFAULT '', allow_ips text DEFAULT '', used_quota integer DEFAULT 0, "group" text DEFAULT '', deleted_at datetime);
CREATE TABLE channels (id integer PRIMARY KEY, type integer DEFAULT 0, key text NOT NULL, open_ai_organization text, test_model text, status integer DEFAULT 1, name text, weight integer DEFAULT 0, created_time integer, base_url text DEFAULT '', other text, models text, "group" varchar(64) DEFAULT 'default', used_quota integer DEFAULT 0, model_mapping text, status_code_mapping varchar(1024) DEFAULT '', priority integer DEFAULT 0, auto_ban integer DEFAULT 1, tag text, setting text, param_override text, channel_info json);
CREATE TABLE redemptions (id integer PRIMARY KEY, user_id integer, key char(32), status integer DEFAULT 1, name text, quota integer DEFAULT 100, created_time integer, redeemed_time integer, used_user_id integer, deleted_at datetime, expired_time integer);
CREATE TABLE top_ups (id integer PRIMARY KEY, user_id integer, amount integer, money real, trade_no text, create_time integer, status text);
CREATE TABLE options (key text PRIMARY KEY, value text);
CREATE TABLE logs (id integer PRIMARY KEY, user_id integer, created_at integer, type integer, content text, username text DEFAULT '', token_name text DEFAULT '', model_name text DEFAULT '', quota integer DEFAULT 0, prompt_tokens integer DEFAULT 0, completion_tokens integer DEFAULT 0, use_time integer DEFAULT 0, is_stream numeric DEFAULT false, channel_id integer, token_id integer DEFAULT 0, "group" text, ip text DEFAULT '', other text);
CREATE TABLE two_fas (id integer PRIMARY KEY, user_id integer, secret text, is_enabled numeric);`;

/** The same of one-api 0.6.11 (https://github.com/songquanpeng/one-api/tree/main/model). */
const oneApi = `
CREATE TABLE users (id integer PRIMARY KEY, username text UNIQUE, password text NOT NULL, display_name text, role integer DEFAULT 1, status integer DEFAULT 1, email text, github_id text, wechat_id text, lark_id text, oidc_id text, access_token char(32), quota integer DEFAULT 0, used_quota integer DEFAULT 0, request_count integer DEFAULT 0, "group" varchar(32) DEFAULT 'default', aff_code varchar(32), inviter_id integer);
CREATE TABLE tokens (id integer PRIMARY KEY, user_id integer, key char(48), status integer DEFAULT 1, name text, created_time integer, accessed_time integer, expired_time integer DEFAULT -1, remain_quota integer DEFAULT 0, unlimited_quota numeric DEFAULT false, used_quota integer DEFAULT 0, models text, subnet text DEFAULT '');
CREATE TABLE channels (id integer PRIMARY KEY, type integer DEFAULT 0, key text, status integer DEFAULT 1, name text, weight integer DEFAULT 0, created_time integer, base_url text DEFAULT '', other text, models text, "group" varchar(32) DEFAULT 'default', used_quota integer DEFAULT 0, model_mapping varchar(1024) DEFAULT '', priority integer DEFAULT 0, config text, system_prompt text);
CREATE TABLE redemptions (id integer PRIMARY KEY, user_id integer, key char(32), status integer DEFAULT 1, name text, quota integer DEFAULT 100, created_time integer, redeemed_time integer);
CREATE TABLE options (key text PRIMARY KEY, value text);`;

/** What differs in one-hub (https://github.com/MartialBE/one-hub/tree/main/model). */
const oneHub = newApi
  .replace(/model_limits_enabled[^"]*?used_quota/, 'setting json, used_quota')
  .replace(
    'auto_ban integer DEFAULT 1, tag text, setting text, param_override text, channel_info json',
    'tag text, proxy text, custom_parameter text, only_chat numeric DEFAULT false, plugin json, deleted_at datetime',
  )
  .replace('telegram_id text', 'telegram_id integer DEFAULT 0, github_id_new integer DEFAULT 0, created_time integer')
  .concat(`
CREATE TABLE user_groups (id integer PRIMARY KEY, symbol text UNIQUE, name text, ratio decimal(10,2), public numeric, enable numeric DEFAULT true);
CREATE TABLE prices (model text, type text DEFAULT 'tokens', channel_type integer, input real, output real, locked numeric, extra_ratios json);`);

/** A made-up database of another gateway. */
export interface OtherGateway {
  path: string;
  add(table: string, row: Record<string, string | number | null>): void;
  /** Runs a statement, as the old gateway would change its rows. */
  run(sql: string): void;
}

const folders = new Set<string>();

/** Removes the databases that tests have made. */
export function removeOtherGateways(): void {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  folders.clear();
}

export const oldPassword = 'kept from before';
const oldHash = hashSync(oldPassword, { cost: 4, version: '2a' });

const schemas = { 'new-api': newApi, 'one-api': oneApi, 'one-hub': oneHub };

export function otherGateway(product: keyof typeof schemas): OtherGateway {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-import-'));
  folders.add(folder);
  const path = join(folder, `${product}.db`);
  const database = new DatabaseSync(path);
  database.exec(schemas[product]);
  const gateway: OtherGateway = {
    path,
    add(table, row) {
      const columns = Object.keys(row);
      const names = columns.map((column) => `"${column}"`).join(', ');
      database.prepare(`INSERT INTO ${table} (${names}) VALUES (${columns.map(() => '?').join(', ')})`).run(...Object.values(row));
    },
    run: (sql) => database.exec(sql),
  };
  gateway.add('users', { id: 1, username: 'root', password: oldHash, role: 100, quota: 1_000_003, aff_code: 'ROOT' });
  return gateway;
}

/** An account with the password `oldPassword`. */
export function person(id: number, username: string, row: Record<string, string | number | null> = {}) {
  return { id, username, password: oldHash, display_name: username, quota: 0, aff_code: `A${id}`, ...row };
}

const letters = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

export function keyOf(length = 48): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('');
}
