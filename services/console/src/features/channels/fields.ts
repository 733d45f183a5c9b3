import {
  type CreateChannelBody,
  channelTypeInfo,
  headerText,
  type KeyMode,
  keyFormOf,
  keyPartsOf,
  storedLimits,
} from '@tollgate/contracts';
import type { ChannelDoc } from '@tollgate/db';
import { isRegion, providerOf } from '@tollgate/providers';
import type { Egress } from '@tollgate/runtime';
import { AppError } from '@tollgate/runtime';
import { storedProxy } from './proxies.ts';

type Editable = Partial<Omit<CreateChannelBody, 'key'>> & { multi_key_mode?: KeyMode | undefined };

/** The stored fields that a body names; what it leaves out is left out here. */
export function channelFields(body: Editable): Partial<ChannelDoc> {
  const fields: Partial<ChannelDoc> = {
    name: body.name,
    type: body.type,
    other: body.other,
    priority: body.priority,
    weight: body.weight,
    baseUrl: textOf(body.base_url),
    organization: textOf(body.openai_organization),
    modelMapping: textOf(body.model_mapping),
    statusCodeMapping: textOf(body.status_code_mapping),
    testModel: textOf(body.test_model),
    tag: textOf(body.tag),
    setting: textOf(body.setting),
    autoBan: body.auto_ban === undefined ? undefined : body.auto_ban === 1,
    models: body.models?.split(','),
    groups: groupsIn(body),
    keyMode: body.multi_key_mode,
    maxInputTokens: body.max_input_tokens === undefined ? undefined : (body.max_input_tokens ?? 0),
    expiresAt: expiryOf(body.expired_time),
    ...storedLimits(body),
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function groupsIn({ group, groups = [] }: Editable): string[] | undefined {
  if (group) return group.split(',');
  const listed = [...new Set(groups.filter((name) => name !== ''))];
  if (listed.length > 0) return listed;
  return group === undefined ? undefined : ['default'];
}

type Called = Pick<ChannelDoc, 'type' | 'baseUrl' | 'other'>;

/** Refuses, while its editor still looks at it, what no call could ever use. What `other` says already may stay while it is unchanged. */
export function refuseUnusable(channel: Called, egress: Egress, stored?: Called): void {
  const info = channelTypeInfo(channel.type);
  if (info?.needs.base_url?.required && channel.baseUrl === '') throw unusable('this channel type needs a `base_url`');
  const isSocket = info?.defaultBaseUrl.startsWith('ws') === true;
  const address = channel.baseUrl.replaceAll('{model}', 'model');
  if (address !== '') egress.check(isSocket ? address.replace(/^ws(?=s?:)/, 'http') : address);
  if (stored?.other === channel.other && stored.type === channel.type) return;
  if (info?.needs.other?.format === 'regions') refuseRegion(channel.other);
  else if (info?.needs.other?.required && channel.other.trim() === '') throw unusable('this channel type needs `other`');
}

/** Refuses keys that have not the form that their channel's type wants: no call could be made with them. */
export function refuseMalformedKeys(type: number, keys: readonly string[]): void {
  const info = channelTypeInfo(type);
  if (info?.needs.key.format !== 'json' && !keys.every((key) => headerText.safeParse(key).success))
    throw new AppError('invalid_parameter', { reason: 'key: must be plain text on one line' });
  if (info === undefined || keys.every((key) => keyPartsOf(info, key) !== undefined)) return;
  throw new AppError('channel_key_malformed', { name: info.name, form: keyFormOf(info) });
}

/** Refuses what the relay would leave out of use: it only says so in its own log. What is stored already may stay while it is unchanged. */
export function refuseUnbuilt(wanted: Partial<ChannelDoc>, stored?: Pick<ChannelDoc, 'type'>): void {
  const { type = stored?.type ?? 0 } = wanted;
  if (type !== stored?.type && !providerOf(type)) throw new AppError('channel_type_unbuilt', { name: channelTypeInfo(type)?.name ?? type });
}

/**
 * Where a channel sends its key: scheme, host and port, and without TLS the proxy, which reads what passes. A template in the address is
 * no less another address.
 */
export function addressOf({ type, baseUrl, setting }: Pick<ChannelDoc, 'type' | 'baseUrl' | 'setting'>): string {
  const base = baseUrl || (providerOf(type)?.baseUrl ?? '');
  const address = URL.parse(base)?.origin ?? base;
  return /^(?:http|ws):/.test(address) ? `${address} by ${storedProxy(setting) ?? 'itself'}` : address;
}

const noRegion = 'a region in `other` is a name such as us-central1, of small letters, digits and hyphens';

/** A region, or a JSON object of regions by model with one for all others. */
function refuseRegion(other: string): void {
  const region = other.trim();
  if (region === '') throw unusable('this channel type needs a region in `other`');
  if (!region.startsWith('{')) {
    if (!isRegion(region)) throw unusable(noRegion);
    return;
  }
  const regions: unknown = parsed(other);
  if (typeof regions !== 'object' || regions === null || !('default' in regions)) {
    throw unusable('the regions in `other` must be a JSON object with a `default`');
  }
  if (!Object.values(regions).every(isRegion)) throw unusable(noRegion);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unusable('`other` is not valid JSON', cause);
  }
}

function unusable(reason: string, cause?: unknown): AppError {
  return new AppError('invalid_parameter', { reason }, { cause });
}

/** Clients that know no expiry send nothing, or 0. */
function expiryOf(seconds: number | null | undefined): Date | null | undefined {
  if (seconds === undefined) return undefined;
  return seconds === null || seconds <= 0 ? null : new Date(seconds * 1000);
}

function textOf(text: string | null | undefined): string | undefined {
  return text === null ? '' : text;
}
