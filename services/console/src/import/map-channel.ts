import {
  beginOf,
  type CreateChannelBody,
  channelSettings,
  channelStatus,
  channelTypeInfo,
  createChannelBody,
  priorityRange,
} from '@tollgate/contracts';
import { providerOf } from '@tollgate/providers';
import { typeHere } from './channel-types-of-sources.ts';
import type { Product } from './product.ts';
import type { SourceChannel } from './rows.ts';

export interface MappedChannel {
  /** `<id>`, or of a channel with several keys `<id>.<place>`. */
  key: string;
  body: CreateChannelBody;
  status: number;
}

export type ChannelOutcome = { channels: MappedChannel[]; changes: string[] } | { leftOut: string };

/** What a channel of the source becomes: one channel here for each of its keys. */
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
  };
  if (product === 'one-api' && here.type !== row.type) changes.push(`channel type ${row.type} becomes ${nameOf(here.type)}`);
  if (wanted.priority !== row.priority) changes.push(`priority ${row.priority} becomes ${wanted.priority}`);
  if (wanted.name !== name) changes.push('the name is cut to 128 characters');
  if (row.system_prompt !== '') changes.push('the system prompt is left out: channels have none here');
  const keys = keysOf(row, ofSource.key);
  const body = readBody({ ...wanted, key: keys[0]?.key ?? '' }, changes);
  if (typeof body === 'string') return { leftOut: body };
  if (keys.length > 1) changes.push(`its ${keys.length} keys become ${keys.length} channels`);
  const channels = keys.map(({ key, status }, at) => ({
    key: at === 0 ? String(row.id) : `${row.id}.${at}`,
    body: { ...body, key },
    status: row.status === channelStatus.enabled ? status : statusOf(row.status),
  }));
  return { channels, changes };
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
  if (product === 'new-api') return { key: row.key, other: row.other };
  const config = objectIn(row.config) ?? {};
  const textIn = (name: string) => (typeof config[name] === 'string' ? config[name] : '');
  const [region, ak, sk] = [textIn('region'), textIn('ak'), textIn('sk')];
  if (row.type === 33 && ak !== '') return { key: [ak, sk, region].join('|'), other: '' };
  if (row.type === 42 && textIn('vertex_ai_adc') !== '') return { key: textIn('vertex_ai_adc'), other: region };
  const other = textIn('api_version') || textIn('plugin') || textIn('library_id') || (row.type === 37 ? textIn('user_id') : '');
  return { key: row.key, other: other || row.other };
}

/** new-api: several keys stand in one channel, one a line or as a JSON array, each with a status of its own. */
function keysOf({ channel_info }: SourceChannel, key: string): { key: string; status: number }[] {
  const info = objectIn(channel_info);
  if (info?.is_multi_key !== true) return [{ key: key.trim(), status: channelStatus.enabled }];
  const statuses = (info.multi_key_status_list ?? {}) as Record<string, unknown>;
  const keys = arrayIn(key)?.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))) ?? key.split('\n');
  return keys
    .map((each, at) => ({ key: each.trim(), status: statusOfKey(statuses[String(at)]) }))
    .filter((each, at, all) => each.key !== '' && all.findIndex(({ key: first }) => first === each.key) === at);
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function objectIn(text: string): Record<string, unknown> | undefined {
  const value = parsed(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
}

function arrayIn(text: string): unknown[] | undefined {
  const value = parsed(text);
  return Array.isArray(value) ? value : undefined;
}
