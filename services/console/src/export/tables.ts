import { channelStatus, isOptionKey, limitsOf, optionRegistry } from '@tollgate/contracts';
import {
  Budget,
  Channel,
  rows as collections,
  isSealed,
  OptionModel,
  Order,
  Passkey,
  packed,
  Redemption,
  Token,
  UsageLog,
  User,
  unseal,
} from '@tollgate/db';
import { unsealSecret } from '../auth/second-factor.ts';
import { type KeyedRow, keyText } from '../features/channels/key-rows.ts';
import { proxyOf } from '../features/channels/proxies.ts';
import type { Row } from '../import/insert-into.ts';
import { inPages } from '../in-pages.ts';
import { placeOfWebhookSecret, settingOf } from '../notices/way.ts';

/** A table of an export: those of the product family, with their columns, and what only Tollgate stores in `own`. */
export interface ExportTable {
  columns: string;
  rows(): AsyncIterable<Row>;
}

const pageSize = 500;

export const exportTables: Readonly<Record<string, ExportTable>> = {
  options: { columns: 'key text PRIMARY KEY, value text', rows: optionRows },
  users: {
    columns:
      'id integer PRIMARY KEY, username text, display_name text, role integer, status integer, email text, github_id text, wechat_id text, telegram_id text, linux_do_id text, quota integer, used_quota integer, "group" text, aff_code text, aff_count integer, aff_quota integer, aff_history integer, inviter_id integer, created_at integer, deleted_at text, own text',
    rows: userRows,
  },
  two_fas: { columns: 'id integer PRIMARY KEY, user_id integer, secret text, is_enabled integer', rows: secondStepRows },
  passkeys: { columns: 'id integer PRIMARY KEY, user_id integer, own text', rows: passkeyRows },
  tokens: {
    columns:
      'id integer PRIMARY KEY, user_id integer, key text, key_hash text, status integer, name text, created_time integer, expired_time integer, remain_quota integer, unlimited_quota integer, used_quota integer, model_limits_enabled integer, model_limits text, allow_ips text, "group" text, deleted_at text, own text',
    rows: tokenRows,
  },
  channels: {
    columns:
      'id integer PRIMARY KEY, type integer, key text, channel_info text, status integer, name text, weight integer, created_time integer, base_url text, other text, models text, "group" text, model_mapping text, status_code_mapping text, priority integer, auto_ban integer, open_ai_organization text, test_model text, tag text, setting text, own text',
    rows: channelRows,
  },
  redemptions: {
    columns:
      'id integer PRIMARY KEY, user_id integer, key text, status integer, name text, quota integer, created_time integer, redeemed_time integer, used_user_id integer, deleted_at text',
    rows: codeRows,
  },
  top_ups: { columns: 'id integer PRIMARY KEY, user_id integer, trade_no text, status text, own text', rows: orderRows },
  budgets: {
    columns: 'id integer PRIMARY KEY, subject text, subject_id text, own text',
    rows: budgetRows,
  },
};

/** The usage log, which may be large. */
export const logTable: ExportTable = {
  columns:
    'id integer PRIMARY KEY, ref text, user_id integer, created_at integer, type integer, content text, username text, token_name text, model_name text, quota integer, prompt_tokens integer, completion_tokens integer, elapsed_time integer, is_stream integer, "group" text, own text',
  rows: logRows,
};

async function* optionRows(): AsyncGenerator<Row> {
  for await (const { _id: key, value } of OptionModel.find().sort({ _id: 1 }).lean().cursor()) {
    const isSecret = isOptionKey(key) && optionRegistry[key].access === 'secret' && isSealed(value);
    yield { key, value: isSecret ? unseal(value, `option:${key}`) : value };
  }
}

async function* userRows(): AsyncGenerator<Row> {
  const users = User.find().sort({ id: 1 }).select('+passwordHash +accessTokenHash +rewards +formerProofs').lean().cursor();
  for await (const page of inPages(users, pageSize)) {
    const wallets = await collections
      .wallets()
      .find({ _id: { $in: page.map(({ id }) => id) } })
      .toArray();
    const money = new Map(wallets.map((wallet) => [wallet._id, wallet]));
    for (const user of page) {
      const { passwordHash, accessTokenHash, rewards, formerProofs, mustChangePassword, oidcId } = user;
      const setting = settingOf(user);
      if (setting.webhook_secret) setting.webhook_secret = unseal(setting.webhook_secret, placeOfWebhookSecret(user.id));
      const own = {
        ...{ passwordHash, accessTokenHash, rewards, formerProofs, mustChangePassword, oidcId },
        ...(user.setting && { setting: JSON.stringify(setting) }),
      };
      yield {
        ...{ id: user.id, username: user.username, display_name: user.displayName, role: user.role, status: user.status },
        ...{ email: user.email, github_id: user.githubId, wechat_id: user.wechatId, telegram_id: user.telegramId },
        ...{ linux_do_id: user.linuxDoId, quota: money.get(user.id)?.balance ?? 0, used_quota: money.get(user.id)?.usedQuota ?? 0 },
        ...{ group: user.group, aff_code: user.affCode, aff_count: user.affCount, aff_quota: user.affQuota },
        ...{ aff_history: user.affHistoryQuota, inviter_id: user.inviterId, created_at: seconds(user.createdAt) },
        deleted_at: user.deletedAt?.toISOString() ?? null,
        own: packed(own),
      };
    }
  }
}

async function* secondStepRows(): AsyncGenerator<Row> {
  const users = User.find({ totp: { $exists: true } })
    .sort({ id: 1 })
    .select('id +totp')
    .lean()
    .cursor();
  for await (const { id, totp } of users) if (totp) yield { id, user_id: id, secret: unsealSecret(id, totp.secret), is_enabled: 1 };
}

async function* passkeyRows(): AsyncGenerator<Row> {
  let id = 0;
  for await (const { _id, userId, ...own } of Passkey.find().sort({ _id: 1 }).lean().cursor()) {
    id += 1;
    yield { id, user_id: userId, own: packed(own) };
  }
}

async function* tokenRows(): AsyncGenerator<Row> {
  const tokens = Token.find().sort({ id: 1 }).select('+keySealed').lean().cursor();
  for await (const page of inPages(tokens, pageSize)) {
    const wallets = await collections
      .tokenWallets()
      .find({ _id: { $in: page.map(({ id }) => id) } })
      .toArray();
    const money = new Map(wallets.map((wallet) => [wallet._id, wallet]));
    for (const token of page) {
      const key = unseal(token.keySealed, `token:${token.id}:key`);
      const { denyIps, drawingModes, requestsPerMinute, requestsPerDay, tokensPerMinute, tokensPerDay, mostAtOnce } = token;
      yield {
        ...{ id: token.id, user_id: token.userId, key, key_hash: key === '' ? token.keyHash : '', status: token.status },
        ...{ name: token.name, created_time: seconds(token.createdAt) },
        expired_time: token.expiresAt ? seconds(token.expiresAt) : -1,
        ...{ remain_quota: money.get(token.id)?.remain ?? 0, used_quota: money.get(token.id)?.used ?? 0 },
        ...{ unlimited_quota: Number(token.unlimited), model_limits_enabled: Number(token.modelLimitsEnabled) },
        ...{ model_limits: token.modelLimits.join(','), allow_ips: token.allowIps.join('\n'), group: token.group },
        deleted_at: token.deletedAt?.toISOString() ?? null,
        own: packed({ denyIps, drawingModes, requestsPerMinute, requestsPerDay, tokensPerMinute, tokensPerDay, mostAtOnce }),
      };
    }
  }
}

async function* channelRows(): AsyncGenerator<Row> {
  for await (const channel of Channel.find().sort({ id: 1 }).select('+keySealed +keySecrets').lean().cursor()) {
    const { id, type, status, name, weight, priority, tag, other } = channel;
    const own = {
      max_input_tokens: channel.maxInputTokens ?? 0,
      expired_time: channel.expiresAt ? seconds(channel.expiresAt) : -1,
      ...limitsOf(channel),
    };
    yield {
      ...{ id, type, status, name, weight, priority, tag, other, ...keyColumns(channel as KeyedRow) },
      ...{ created_time: seconds(channel.createdAt), base_url: channel.baseUrl, models: channel.models.join(',') },
      ...{ group: channel.groups.join(','), model_mapping: channel.modelMapping, status_code_mapping: channel.statusCodeMapping },
      ...{ auto_ban: Number(channel.autoBan), open_ai_organization: channel.organization, test_model: channel.testModel },
      setting: settingWithProxy(channel.setting),
      own: packed(own),
    };
  }
}

/** All keys of a channel, as the product family has them: several as a JSON array, with their states by place. */
function keyColumns(channel: KeyedRow): { key: string; channel_info: string } {
  const { keys, keyMode } = channel;
  if (!keys?.length) return { key: keyText(channel), channel_info: '' };
  const states = keys.flatMap(({ status }, place) => (status === channelStatus.enabled ? [] : [[place, status]]));
  const names = keys.map(({ name }) => name);
  const info = { is_multi_key: true, multi_key_mode: keyMode ?? 'random', multi_key_status_list: Object.fromEntries(states), names };
  return { key: JSON.stringify(keys.map(({ id }) => keyText(channel, id))), channel_info: JSON.stringify(info) };
}

/** The settings with the name and password of their proxy. */
function settingWithProxy(setting: string): string {
  const proxy = proxyOf(setting);
  return proxy === undefined ? setting : JSON.stringify({ ...JSON.parse(setting), proxy });
}

async function* codeRows(): AsyncGenerator<Row> {
  for await (const code of Redemption.find().sort({ id: 1 }).lean().cursor()) {
    const { id, userId, status, name, quota, usedUserId } = code;
    yield {
      ...{ id, user_id: userId, status, name, quota, used_user_id: usedUserId, key: unseal(code.keySealed, `redemption:${id}:key`) },
      ...{ created_time: seconds(code.createdAt), redeemed_time: code.redeemedAt ? seconds(code.redeemedAt) : 0 },
      deleted_at: code.deletedAt?.toISOString() ?? null,
    };
  }
}

async function* orderRows(): AsyncGenerator<Row> {
  let id = 0;
  for await (const { _id, userId, ...own } of Order.find().sort({ _id: 1 }).lean().cursor()) {
    id += 1;
    yield { id, user_id: userId, trade_no: own.tradeNo, status: own.status, own: packed(own) };
  }
}

async function* budgetRows(): AsyncGenerator<Row> {
  for await (const { _id, id, subject, subjectId, userId: _, ...own } of Budget.find().sort({ id: 1 }).lean().cursor())
    yield { id, subject, subject_id: subjectId, own: packed(own) };
}

/** By time and not by `_id`: rows get their numbers in the order in which they came. */
async function* logRows(): AsyncGenerator<Row> {
  let id = 0;
  const shown = UsageLog.find({ hidden: { $ne: true } });
  for await (const row of shown.sort({ at: 1 }).allowDiskUse(true).lean().cursor()) {
    id += 1;
    yield {
      ...{ id, ref: row._id, user_id: row.userId, created_at: seconds(row.at), type: row.type, content: row.content },
      ...{ username: row.username, token_name: row.tokenName, model_name: row.model, quota: row.quota, group: row.group },
      ...{ prompt_tokens: row.promptTokens, completion_tokens: row.completionTokens, elapsed_time: row.durationMs },
      is_stream: Number(row.isStream),
      own: row.text ? packed({ text: row.text }) : '',
    };
  }
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
