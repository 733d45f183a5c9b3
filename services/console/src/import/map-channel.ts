import {
  beginOf,
  type CreateChannelBody,
  channelSettings,
  channelStatus,
  channelTypeInfo,
  createChannelBody,
  type KeyMode,
  keyModes,
  priorityRange,
  withoutEndSlashes,
} from '@tollgate/contracts';
import { providerOf } from '@tollgate/providers';
import { parsedJson } from '@tollgate/runtime';
import { refOf, type SourceChannel } from './rows.ts';
import type { Product } from './source.ts';

interface TypeHere {
  type: number;
  /** Where the channel names none. */
  baseUrl?: string;
  /** `full-url`: our type takes the whole URL of chat completions. `with-version`: the base URL of the source ends in `/v1`, ours does not. */
  form?: 'full-url' | 'with-version';
}

const same = (...types: number[]): [number, TypeHere][] => types.map((type) => [type, { type }]);
const openai = (type: number, baseUrl?: string): [number, TypeHere] => [type, { type: 1, ...(baseUrl !== undefined && { baseUrl }) }];

/** https://github.com/songquanpeng/one-api/blob/main/relay/channeltype/define.go and url.go, as of 0.6.11-alpha.22 (2026-11-26) */
const oneApi = new Map<number, TypeHere>([
  ...same(1, 3, 11, 14, 15, 17, 18, 19, 20, 21, 22, 23, 24, 25, 31, 33),
  ...[2, 4, 5, 6, 7, 8, 9, 10, 12, 13].map((type) => openai(type)),
  [16, { type: 26 }], // glm models go to the API v4 there
  openai(26, 'https://api.baichuan-ai.com'),
  [27, { type: 35 }],
  [28, { type: 42 }],
  openai(29, 'https://api.groq.com/openai'),
  [30, { type: 4 }],
  openai(32, 'https://api.stepfun.com'),
  [35, { type: 34 }],
  [36, { type: 43 }],
  [37, { type: 39 }],
  openai(39, 'https://api.together.xyz'),
  [40, { type: 45 }],
  [41, { type: 8, baseUrl: 'https://api.novita.ai/v3/openai', form: 'full-url' }],
  [42, { type: 41 }],
  [44, { type: 40 }],
  [45, { type: 48 }],
  [47, { type: 46 }],
  openai(48, 'https://spark-api-open.xf-yun.com'),
  openai(49, 'https://dashscope.aliyuncs.com/compatible-mode'),
  [50, { type: 1, form: 'with-version' }],
  [51, { type: 8, baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai', form: 'full-url' }],
]);

/** https://github.com/QuantumNous/new-api/blob/main/constant/channel.go, as of 2026-08-08 */
const newApi = new Map<number, TypeHere>([
  ...same(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 31),
  ...same(33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48),
  openai(60),
]);

/** https://github.com/MartialBE/one-hub/blob/main/common/config/constants.go, as of 2026-11-27 */
const oneHub = new Map<number, TypeHere>([
  ...same(1, 3, 8, 11, 14, 15, 17, 18, 19, 20, 23),
  [16, { type: 26 }],
  [25, { type: 24 }],
  openai(26, 'https://api.baichuan-ai.com'),
  [27, { type: 35 }],
  [28, { type: 43 }],
  [29, { type: 25 }],
  [30, { type: 42 }],
  openai(31, 'https://api.groq.com/openai'),
  [32, { type: 33 }],
  [33, { type: 31 }],
  [34, { type: 2 }],
  [35, { type: 39 }],
  [36, { type: 34 }],
  [39, { type: 4 }],
  openai(40, 'https://api.hunyuan.cloud.tencent.com'),
  [41, { type: 36 }],
  [42, { type: 41 }],
  [45, { type: 40 }],
  [47, { type: 38 }],
  [56, { type: 48 }],
]);
const typesOf: Partial<Record<Product, ReadonlyMap<number, TypeHere>>> = { 'one-api': oneApi, 'new-api': newApi, 'one-hub': oneHub };

/** Our type for a channel type of the source, and its base URL; undefined where there is none. */
function typeHere(product: Product, type: number, baseUrl: string): { type: number; baseUrl: string } | undefined {
  if (product === 'tollgate' || product === 'litellm') return { type, baseUrl };
  const found = typesOf[product]?.get(type);
  if (found === undefined) return undefined;
  const address = withoutEndSlashes(baseUrl || found.baseUrl || '');
  if (found.form === 'full-url') return { type: found.type, baseUrl: `${address}/chat/completions` };
  if (found.form !== 'with-version') return { type: found.type, baseUrl: address };
  return address.endsWith('/v1') ? { type: 1, baseUrl: address.slice(0, -3) } : { type: 8, baseUrl: `${address}/chat/completions` };
}

export interface SourceKey {
  key: string;
  status: number;
  /** '' except in exports of Tollgate. */
  name: string;
}

export interface MappedChannel {
  key: string;
  /** With its first key. */
  body: CreateChannelBody;
  status: number;
  /** All keys, where there are several. */
  several: { keys: SourceKey[]; keyMode: KeyMode } | undefined;
}

export type ChannelOutcome = { channel: MappedChannel; changes: string[] } | { leftOut: string };

/** What a channel of the source becomes, with all its keys. */
export function mapChannel(product: Product, row: SourceChannel): ChannelOutcome {
  const here = typeHere(product, row.type, row.base_url.trim());
  const name = row.name.trim() || `channel ${row.id}`;
  if (here === undefined || providerOf(here.type) === undefined)
    return { leftOut: `channel type ${row.type} of ${product} has no counterpart` };
  const changes: string[] = [];
  const ofSource = connectionOf(product, row);
  const wanted = {
    type: here.type,
    name: beginOf(name, 128),
    base_url: here.baseUrl,
    other: ofSource.other,
    models: row.models,
    group: row.group,
    model_mapping: row.model_mapping === '{}' ? '' : row.model_mapping,
    status_code_mapping: row.status_code_mapping === '{}' ? '' : row.status_code_mapping,
    priority: Math.min(Math.max(row.priority, priorityRange.min), priorityRange.max),
    weight: row.weight,
    auto_ban: row.auto_ban === 0 ? 0 : 1,
    openai_organization: row.open_ai_organization,
    test_model: row.test_model,
    tag: row.tag,
    setting: settingsOf(row, changes),
    ...row.own,
  };
  if (product !== 'new-api' && here.type !== row.type) changes.push(`channel type ${row.type} becomes ${nameOf(here.type)}`);
  if (wanted.priority !== row.priority) changes.push(`priority ${row.priority} becomes ${wanted.priority}`);
  if (wanted.name !== name) changes.push('the name is cut to 128 characters');
  if (row.system_prompt !== '') changes.push('the system prompt is left out: channels have none here');
  const keys = keysOf(row, ofSource.key);
  const body = readBody({ ...wanted, key: keys[0]?.key ?? '' }, changes);
  if (typeof body === 'string') return { leftOut: body };
  const several = keys.length > 1 ? { keys, keyMode: keyModeOf(row) } : undefined;
  const ownStatus = (several === undefined && keys[0]?.status) || channelStatus.enabled;
  const status = row.status === channelStatus.enabled ? ownStatus : statusOf(row.status);
  return { channel: { key: refOf(row), body, status, several }, changes };
}

/** What a field cannot be here is left out and said, unless no call could be made without it. */
function readBody(wanted: Record<string, unknown>, changes: string[]): CreateChannelBody | string {
  const parsed = createChannelBody.safeParse(wanted);
  if (parsed.success) return parsed.data;
  const needed = new Set(['type', 'key', 'name', 'models', 'group', 'base_url', 'other']);
  const rest = { ...wanted };
  for (const { path, message } of parsed.error.issues) {
    const field = String(path[0]);
    if (needed.has(field)) return `${field} ${message}`;
    if (Object.hasOwn(rest, field)) changes.push(`${field} is left out: ${message}`);
    delete rest[field];
  }
  return createChannelBody.parse(rest);
}

function nameOf(type: number): string {
  return `${channelTypeInfo(type)?.name} (${type})`;
}

function statusOf(status: number): number {
  return status === channelStatus.autoDisabled ? status : channelStatus.disabled;
}

/** The key and what else the provider needs, which one-api keeps in `config`. */
function connectionOf(product: Product, row: SourceChannel): { key: string; other: string } {
  if (product !== 'one-api') return { key: row.key, other: row.other };
  const config = objectIn(row.config) ?? {};
  const textIn = (name: string) => (typeof config[name] === 'string' ? config[name] : '');
  const [region, ak, sk] = [textIn('region'), textIn('ak'), textIn('sk')];
  if (row.type === 33 && ak !== '') return { key: [ak, sk, region].join('|'), other: '' };
  if (row.type === 42 && textIn('vertex_ai_adc') !== '') return { key: textIn('vertex_ai_adc'), other: region };
  const other = textIn('api_version') || textIn('plugin') || textIn('library_id') || (row.type === 37 ? textIn('user_id') : '');
  return { key: row.key, other: other || row.other };
}

/** new-api: several keys stand in one channel, one a line or as a JSON array, each with a status of its own. */
function keysOf({ channel_info }: SourceChannel, key: string): SourceKey[] {
  const info = objectIn(channel_info);
  if (info?.is_multi_key !== true) return [{ key: key.trim(), status: channelStatus.enabled, name: '' }];
  const names = Array.isArray(info.names) ? info.names : [];
  const statuses = (info.multi_key_status_list ?? {}) as Record<string, unknown>;
  const keys = arrayIn(key)?.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))) ?? key.split('\n');
  return keys
    .map((each, at) => ({ key: each.trim(), status: statusOfKey(statuses[String(at)]), name: String(names[at] ?? '') }))
    .filter((each, at, all) => each.key !== '' && all.findIndex(({ key: first }) => first === each.key) === at);
}

function keyModeOf({ channel_info }: SourceChannel): KeyMode {
  const stated = objectIn(channel_info)?.multi_key_mode;
  return keyModes.find((mode) => mode === stated) ?? 'random';
}

function statusOfKey(status: unknown): number {
  return status === undefined || status === channelStatus.enabled ? channelStatus.enabled : statusOf(Number(status));
}

/** The settings that we have too; the names of the others go into `changes`. */
function settingsOf(row: SourceChannel, changes: string[]): string {
  const given: Record<string, unknown> = { ...objectIn(row.setting), ...objectIn(row.settings) };
  for (const name of ['param_override', 'header_override'] as const) {
    if (row[name].trim() === '' || row[name].trim() === '{}') continue;
    given[name] = objectIn(row[name]) ?? row[name];
  }
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === false || value === '' || value === null) continue;
    if (channelSettings.safeParse({ [name]: value }).success) kept[name] = value;
    else changes.push(`the setting ${name} is left out: it has no counterpart, or not with this value`);
  }
  const unread = (['setting', 'settings'] as const).filter((field) => row[field].trim() !== '' && objectIn(row[field]) === undefined);
  for (const field of unread) changes.push(`${field} is left out: it is not a JSON object`);
  return Object.keys(kept).length === 0 ? '' : JSON.stringify(kept);
}

function objectIn(text: string): Record<string, unknown> | undefined {
  const value = parsedJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

function arrayIn(text: string): unknown[] | undefined {
  const value = parsedJson(text);
  return Array.isArray(value) ? value : undefined;
}
