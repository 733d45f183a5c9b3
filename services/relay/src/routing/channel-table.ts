import { type ChannelSettings, channelSettings, channelStatus, channelTypeInfo, withoutEndSlashes } from '@tollgate/contracts';
import { Channel, type ChannelDoc, unseal } from '@tollgate/db';
import { type Provider, providerOf, type Target } from '@tollgate/providers';
import type { Logger } from '@tollgate/runtime';

/** A channel, ready to be called. */
export interface RoutedChannel {
  id: number;
  name: string;
  /** Whom a list of models names as the owner. */
  ownedBy: string;
  provider: Provider;
  /** Scheme, host and port: nothing in a request can lead a call elsewhere. */
  origin: string;
  /** The same as it stands in the base URL. */
  originText: string;
  target: Omit<Target, 'model' | 'query' | 'isMapped'>;
  modelMapping: ReadonlyMap<string, string>;
  statusMapping: ReadonlyMap<number, number>;
  settings: ChannelSettings;
  priority: number;
  weight: number;
  isEnabled: boolean;
  /** A rule may switch it off. */
  autoBan: boolean;
}

/** Which channels serve a model in a group, best tier first. */
export interface ChannelTable {
  tiers(group: string, model: string): readonly (readonly RoutedChannel[])[];
  channel(id: number): RoutedChannel | undefined;
  /** A rule has switched off channels that serve this: it is not to be had now, but it exists. */
  isSuspended(group: string, model: string): boolean;
  models(group: string): Iterable<string>;
}

type StoredChannel = ChannelDoc & { keySealed: string };

/** Reads all channels. Rejects when the database does not answer; a channel that cannot be used is left out and logged. */
export async function loadChannelTable({ logger }: { logger: Logger }): Promise<ChannelTable> {
  const stored = (await Channel.find().select('+keySealed').lean()) as unknown as StoredChannel[];
  const channels: { stored: StoredChannel; routed: RoutedChannel }[] = [];
  for (const channel of stored) {
    try {
      const routed = routedChannel(channel);
      if (routed !== undefined) channels.push({ stored: channel, routed });
    } catch (error) {
      logger.error({ channelId: channel.id, err: error }, 'a channel cannot be used');
    }
  }
  return channelTable(channels);
}

function channelTable(
  channels: readonly { stored: Pick<StoredChannel, 'groups' | 'models' | 'status'>; routed: RoutedChannel }[],
): ChannelTable {
  const byId = new Map<number, RoutedChannel>();
  const groups = new Map<string, Map<string, RoutedChannel[][]>>();
  const suspended = new Set<string>();
  const bestFirst = [...channels].sort((a, b) => b.routed.priority - a.routed.priority || a.routed.id - b.routed.id);
  for (const { stored, routed } of bestFirst) {
    byId.set(routed.id, routed);
    for (const group of stored.groups) {
      for (const model of stored.models) {
        if (stored.status === channelStatus.autoDisabled) suspended.add(abilityOf(group, model));
        if (!routed.isEnabled) continue;
        const models = orInsert(groups, group, () => new Map<string, RoutedChannel[][]>());
        const tiers = orInsert(models, model, () => []);
        const last = tiers.at(-1);
        if (last?.[0]?.priority === routed.priority) last.push(routed);
        else tiers.push([routed]);
      }
    }
  }
  return {
    tiers: (group, model) => groups.get(group)?.get(model) ?? groups.get(group)?.get(foldedName(model)) ?? [],
    channel: (id) => byId.get(id),
    isSuspended: (group, model) => suspended.has(abilityOf(group, model)),
    models: (group) => groups.get(group)?.keys() ?? [],
  };
}

/** Custom assistants of one kind are served, and priced, under one name. */
function foldedName(model: string): string {
  if (model.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*';
  if (model.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*';
  return model;
}

/** undefined: nothing is built for its type. Throws when its key or one of its settings cannot be read. */
function routedChannel(stored: StoredChannel): RoutedChannel | undefined {
  const provider = providerOf(stored.type);
  if (provider === undefined) return undefined;
  const settings = stored.setting ? channelSettings.parse(JSON.parse(stored.setting)) : {};
  // Going there directly would betray where we are to somebody who was not to know.
  if (settings.proxy) throw new Error('it wants a proxy, and calls through proxies are not built yet');
  const baseUrl = withoutEndSlashes(stored.baseUrl || provider.baseUrl);
  return {
    id: stored.id,
    name: stored.name,
    ownedBy: channelTypeInfo(stored.type)?.ownedBy ?? 'custom',
    provider,
    origin: new URL(baseUrl).origin,
    originText: /^[^/]*\/\/[^/?#]*/.exec(baseUrl)?.[0] ?? baseUrl,
    target: {
      baseUrl,
      key: unseal(stored.keySealed, `channel:${stored.id}:key`),
      other: stored.other || undefined,
      organization: stored.organization || undefined,
    },
    modelMapping: withoutChains(new Map(Object.entries(objectIn<string>(stored.modelMapping)))),
    statusMapping: new Map(
      Object.entries(objectIn<string | number>(stored.statusCodeMapping)).map(([from, to]) => [Number(from), Number(to)]),
    ),
    settings,
    priority: stored.priority ?? 0,
    weight: stored.weight ?? 0,
    isEnabled: stored.status === channelStatus.enabled,
    autoBan: stored.autoBan !== false,
  };
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

function objectIn<Value>(text: string | undefined | null): Record<string, Value> {
  return text?.trim() ? (JSON.parse(text) as Record<string, Value>) : {};
}

function abilityOf(group: string, model: string): string {
  return `${group} ${model}`;
}

function orInsert<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
