import {
  type ChannelSettings,
  channelSettings,
  channelStatus,
  channelTypeInfo,
  type KeyMode,
  limitsOf,
  withoutEndSlashes,
} from '@tollgate/contracts';
import { type ChannelDoc, type ChannelKeySecret, isSealed, unseal } from '@tollgate/db';
import { type Provider, providerOf, type Target } from '@tollgate/providers';
import { proxyAddress } from '@tollgate/runtime';
import { type LimitRules, limitRules } from '@tollgate/wallet';

/** One of several keys of a channel. */
export interface PooledKey {
  readonly id: number;
  readonly key: string;
  /** Attempts with it that this process has open. */
  open: number;
  /** The channel with this key, made when it is first chosen. */
  channel: RoutedChannel | undefined;
}

/** The enabled keys of a channel that has several. */
export interface KeyPool {
  readonly mode: KeyMode;
  readonly keys: readonly PooledKey[];
  /** Where the next turn begins (`polling`). */
  cursor: number;
}

/** A channel, ready to be called. */
export interface RoutedChannel {
  id: number;
  name: string;
  /** Whom a list of models names as the owner. */
  ownedBy: string;
  provider: Provider;
  /** Scheme, host and port: nothing in a request can lead a call elsewhere. '' where key or model say them (`baseUrlOf`). */
  origin: string;
  /** The same as it stands in the base URL. */
  originText: string;
  target: Omit<Target, 'model' | 'query' | 'isMapped'>;
  /** Of a channel with several keys: `target.key` is then the first one, until one is chosen (`withKey`). */
  pool: KeyPool | undefined;
  /** The one of several keys that `target.key` is. */
  chosenKey: PooledKey | undefined;
  /** One object for all channels that map alike. */
  modelMapping: ReadonlyMap<string, string>;
  statusMapping: ReadonlyMap<number, number>;
  settings: ChannelSettings;
  /** Callers may name what is kept in its account. */
  opensAccount: boolean;
  /** The address of the proxy that its calls go through, with the proof that it wants. */
  proxy: string | undefined;
  priority: number;
  weight: number;
  isEnabled: boolean;
  /** Longer requests go to others; 0: none does. */
  maxInputTokens: number;
  /** In ms since 1970, from when on it rests; Infinity: never. */
  expiresAtMs: number;
  /** What it may be asked at most; undefined: as much as comes. */
  limits: LimitRules | undefined;
  /** A rule may switch it off. */
  autoBan: boolean;
}

export type StoredChannel = Pick<ChannelDoc, (typeof storedFields)[number]> & {
  keySealed: string;
  keySecrets?: ChannelKeySecret[] | null;
};

/** What of a stored channel is read for it. */
export const storedFields = [
  ...(['id', 'type', 'name', 'status', 'baseUrl', 'other', 'organization', 'models', 'groups', 'modelMapping'] as const),
  ...(['statusCodeMapping', 'autoBan', 'priority', 'weight', 'setting', 'maxInputTokens', 'expiresAt'] as const),
  ...(['keys', 'keyMode'] as const),
  ...(['requestsPerMinute', 'requestsPerDay', 'tokensPerMinute', 'tokensPerDay', 'mostAtOnce'] as const),
];

/** Makes stored channels ready to be called. What many of them say alike is kept once. */
export type ChannelMaker = (stored: StoredChannel) => RoutedChannel | undefined;

export function channelMaker(): ChannelMaker {
  const mappings = new Map<string, ReadonlyMap<string, string>>();
  const mappingIn = (text: string): ReadonlyMap<string, string> => {
    let mapping = mappings.get(text);
    if (mapping === undefined) {
      if (mappings.size >= mostMappings) mappings.clear();
      mapping = withoutChains(new Map(Object.entries(objectIn<string>(text))));
      mappings.set(text, mapping);
    }
    return mapping;
  };
  return (stored) => routedChannel(stored, mappingIn);
}

const mostMappings = 10_000;
const noStatuses: ReadonlyMap<number, number> = new Map();
const noSettings: ChannelSettings = {};

/** undefined: nothing is built for its type. Throws when its key or one of its settings cannot be read. */
function routedChannel(stored: StoredChannel, mappingIn: (text: string) => ReadonlyMap<string, string>): RoutedChannel | undefined {
  const known = providerOf(stored.type);
  if (known === undefined) return undefined;
  const settings = stored.setting ? channelSettings.parse(JSON.parse(stored.setting)) : noSettings;
  const baseUrl = withoutEndSlashes(stored.baseUrl || known.baseUrl);
  const info = channelTypeInfo(stored.type);
  const hasResponses = settings.responses ?? (info?.speaksResponses === true && baseUrl === withoutEndSlashes(info.defaultBaseUrl));
  const provider = hasResponses ? known : withoutResponses(known);
  const pool = poolOf(stored);
  return {
    id: stored.id,
    name: stored.name,
    ownedBy: info?.ownedBy ?? 'custom',
    provider,
    ...(baseUrl === '' && provider.baseUrlOf !== undefined ? { origin: '', originText: '' } : originsOf(baseUrl)),
    target: {
      baseUrl,
      key: pool?.keys[0]?.key ?? unseal(stored.keySealed, `channel:${stored.id}:key`),
      other: stored.other || undefined,
      organization: stored.organization || undefined,
      ...(settings.stored_responses && { keepsResponses: true }),
    },
    pool,
    chosenKey: undefined,
    modelMapping: mappingIn(stored.modelMapping?.trim() ?? ''),
    statusMapping: statusesIn(stored.statusCodeMapping),
    settings,
    opensAccount: settings.account_resources === true,
    proxy: settings.proxy ? openedProxy(settings.proxy) : undefined,
    priority: stored.priority ?? 0,
    weight: stored.weight ?? 0,
    isEnabled: stored.status === channelStatus.enabled && pool?.keys.length !== 0,
    maxInputTokens: stored.maxInputTokens ?? 0,
    expiresAtMs: stored.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
    limits: limitRules(limitsOf(stored)),
    autoBan: stored.autoBan !== false,
  };
}

/** The enabled keys of a channel with several; undefined: it has one. A key that cannot be unsealed makes the channel unusable, like the only one. */
function poolOf({ id, keys, keySecrets, keyMode }: StoredChannel): KeyPool | undefined {
  if (!keys?.length) return undefined;
  const sealed = new Map((keySecrets ?? []).map((secret) => [secret.id, secret.sealed]));
  const enabled = keys.filter((key) => key.status === channelStatus.enabled && sealed.has(key.id));
  return {
    mode: (keyMode as KeyMode | null | undefined) ?? 'random',
    keys: enabled.map((key) => ({
      id: key.id,
      key: unseal(sealed.get(key.id) as string, `channel:${id}:key`),
      open: 0,
      channel: undefined,
    })),
    cursor: 0,
  };
}

const plain = new WeakMap<Provider, Provider>();

/** The same provider, spoken to in chat completions alone; one object for all channels. */
function withoutResponses(provider: Provider): Provider {
  if (provider.responses === undefined) return provider;
  let same = plain.get(provider);
  if (same === undefined) {
    same = { ...provider, responses: undefined };
    plain.set(provider, same);
  }
  return same;
}

/** A proxy's address as it was typed. Throws when it is none, or was sealed under another master key. */
function openedProxy(stored: string): string {
  const proxy = isSealed(stored) ? unseal(stored, 'channel proxy') : stored;
  proxyAddress(proxy);
  return proxy;
}

/** A mapping whose every name leads to its last one. Names that lead in a circle stop where the circle would close. */
export function withoutChains(mapping: ReadonlyMap<string, string>): Map<string, string> {
  const short = new Map<string, string>();
  for (const from of mapping.keys()) {
    const seen = new Set([from]);
    let to = from;
    for (let next = mapping.get(to); next !== undefined && !seen.has(next); next = mapping.get(to)) {
      seen.add(next);
      to = next;
    }
    if (to !== from) short.set(from, to);
  }
  return short;
}

function statusesIn(text: string | undefined | null): ReadonlyMap<number, number> {
  const entries = Object.entries(objectIn<string | number>(text));
  return entries.length === 0 ? noStatuses : new Map(entries.map(([from, to]) => [Number(from), Number(to)]));
}

function objectIn<Value>(text: string | undefined | null): Record<string, Value> {
  return text?.trim() ? (JSON.parse(text) as Record<string, Value>) : {};
}

/** Scheme, host and port of a base URL, and the same as it is written. */
export function originsOf(baseUrl: string): { origin: string; originText: string } {
  return { origin: new URL(baseUrl).origin, originText: /^[^/]*\/\/[^/?#]*/.exec(baseUrl)?.[0] ?? baseUrl };
}
