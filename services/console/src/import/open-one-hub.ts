import { parsedJson } from '@tollgate/runtime';
import type { Source, SourceRow } from './source.ts';

/** Whether tables are one-hub's: it keeps groups and prices in tables of their own. */
export function isOneHub({ tables }: Source): boolean {
  return tables.has('user_groups') && tables.get('prices')?.has('channel_type') === true && tables.get('tokens')?.has('setting') === true;
}

/**
 * one-hub's database as new-api has it: limits of tokens out of their settings, groups and prices as options.
 * https://github.com/MartialBE/one-hub/tree/main/model, read 2026-11-27.
 */
export async function openOneHub(source: Source): Promise<Source> {
  const notes: NonNullable<Source['notes']> = { changed: [], leftOut: [] };
  const made = await optionsOf(source, notes);
  const tables = new Map([...source.tables].filter(([name]) => name !== 'user_groups' && name !== 'prices'));
  const change: Readonly<Record<string, (row: SourceRow) => SourceRow>> = { users: userHere, tokens: tokenHere, channels: channelHere };
  return {
    ...{ ...source, product: 'one-hub' as const, tables, notes },
    async select(sql, values) {
      const rows = await source.select(sql, values);
      const [, table = ''] = /^SELECT \* FROM "(\w+)"/.exec(sql) ?? [];
      if (table === 'options')
        return [...rows.filter(({ key }) => !made.has(String(key))), ...[...made].map(([key, value]) => ({ key, value }))];
      const here = change[table];
      return here === undefined ? rows : rows.map(here);
    },
  };
}

async function optionsOf(source: Source, notes: NonNullable<Source['notes']>): Promise<Map<string, string>> {
  const ratios: Record<string, number> = {};
  const open: Record<string, string> = {};
  for (const row of await source.select('SELECT * FROM "user_groups"')) {
    const symbol = String(row.symbol);
    if (isOff(row.enable)) notes.leftOut.push({ kind: 'option', which: `group ${symbol}`, text: 'it is disabled' });
    else ratios[symbol] = Number(row.ratio);
    if (!isOff(row.enable) && isOn(row.public)) open[symbol] = String(row.name);
  }
  const model: Record<string, number> = {};
  const completion: Record<string, number> = {};
  const perCall: Record<string, number> = {};
  for (const row of await source.select('SELECT * FROM "prices"')) {
    const [name, input, output] = [String(row.model), Number(row.input), Number(row.output)];
    const extra = String(row.extra_ratios ?? '');
    if (extra !== '' && extra !== 'null' && extra !== '{}')
      notes.changed.push({ kind: 'model', which: name, text: 'its extra ratios (cache, audio and the like) are left out' });
    if (row.type === 'times') perCall[name] = rounded(input * dollarsPerUnit);
    else if (input > 0) {
      model[name] = input;
      completion[name] = rounded((output > 0 ? output : input) / input);
    } else if (output > 0) notes.leftOut.push({ kind: 'option', which: `price ${name}`, text: 'its input is free and its output is not' });
    else model[name] = 0;
  }
  const all = { GroupRatio: ratios, UserUsableGroups: open, ModelRatio: model, CompletionRatio: completion, ModelPrice: perCall };
  return new Map(Object.entries(all).flatMap(([key, value]) => (Object.keys(value).length === 0 ? [] : [[key, JSON.stringify(value)]])));
}

/** A price of 1 is 0.002 US dollars a call, or a thousand tokens. */
const dollarsPerUnit = 0.002;

function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

function userHere(row: SourceRow): SourceRow {
  const number = (value: unknown) => (Number(value ?? 0) === 0 ? '' : String(value));
  return {
    ...row,
    github_id: number(row.github_id_new) || row.github_id,
    telegram_id: number(row.telegram_id),
    created_at: row.created_time,
  };
}

function tokenHere(row: SourceRow): SourceRow {
  const { limit_model_setting: model, limits_ip_setting: ip } = (objectOf(row.setting).limits ?? {}) as Limits;
  return {
    ...row,
    model_limits_enabled: model?.enabled === true ? 1 : 0,
    model_limits: model?.enabled === true ? (model.models ?? []).join(',') : '',
    allow_ips: ip?.enabled === true ? (ip.whitelist ?? []).join('\n') || 'none' : '',
  };
}

interface Limits {
  limit_model_setting?: { enabled?: boolean; models?: string[] };
  limits_ip_setting?: { enabled?: boolean; whitelist?: string[] };
}

/** Fields that shape calls and have no counterpart: named among the changes, as settings that are left out. */
const shaping = ['model_headers', 'custom_parameter', 'only_chat', 'disabled_stream', 'plugin'] as const;
const bedrock = 32;
const vertex = 42;

function channelHere(row: SourceRow): SourceRow {
  const set = shaping.filter((name) => !['', '0', 'false', 'f', 'null', '{}', '[]'].includes(String(row[name] ?? '')));
  const setting = { ...Object.fromEntries(set.map((name) => [name, row[name]])), ...(row.proxy ? { proxy: row.proxy } : {}) };
  const parts = String(row.key ?? '').split('|');
  const [region = '', access = '', secret = ''] = parts;
  return {
    ...row,
    ...(Number(row.type) === bedrock && parts.length === 3 && { key: [access, secret, region].join('|') }),
    ...(Number(row.type) === vertex && { other: String(row.other ?? '').split('|', 1)[0] }),
    setting: JSON.stringify(setting, (_key, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
  };
}

function isOn(value: unknown): boolean {
  return ['1', 't', 'true'].includes(String(value));
}

function isOff(value: unknown): boolean {
  return ['0', 'f', 'false'].includes(String(value));
}

function objectOf(text: unknown): Record<string, unknown> {
  const value = parsedJson(Buffer.isBuffer(text) ? text.toString() : String(text ?? '{}'));
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
