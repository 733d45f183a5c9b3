import { hostedKindOf } from '@tollgate/contracts';
import {
  type AnyDialect,
  type AnyRequest,
  type ChatMessage,
  type ChatRequest,
  patchJson,
  searchesBy,
  searchOf,
  spokenBy,
  webSearch,
} from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import type { AuthContext } from '../auth/callers.ts';
import { noteChange } from '../context/changes.ts';
import type { Relay } from '../context/relay.ts';
import type { RelayRoute } from '../context/route.ts';
import type { Omissible } from '../dialects/dialect.ts';
import { refusedResource } from '../dialects/nested-fields.ts';
import { isFreeOrPriced } from '../modes/field-prices.ts';
import type { Reading } from '../request/read-request.ts';
import { type ChannelKind, kindsIn, type RoutedChannel, type Tiers } from './channel-table.ts';
import { boundToKey } from './key-pool.ts';

/** How a channel's provider speaks of what is called; undefined when it does not offer it, or cannot be told all of the request. */
export type DialectOf = (channel: ChannelKind) => AnyDialect | undefined;

/** The channels that may serve a request, and how they are spoken to. */
export interface Candidates {
  tiers: Tiers;
  dialectOf: DialectOf;
}

interface Wish {
  reading: Reading;
  entrance: AuthContext;
  route: Pick<RelayRoute, 'dialect' | 'rules' | 'nativeDialect'>;
}

/** Who may serve a request. Throws: AppError that says why nobody does. */
export function channelsFor(relay: Relay, { reading, entrance, route }: Wish): Candidates {
  const { group, sent } = reading;
  const { model } = reading.request;
  const { rules } = route;
  const open = entrance.channelId === undefined ? relay.table.tiers(group, model) : [[pinnedChannel(relay, entrance)]];
  if (open.length === 0) throw noChannelFor(relay, { group, model });
  const tiers = sent.boundTo === undefined ? open : boundTiers(open, { model, group, ...sent.boundTo });
  const isServed = (by: DialectOf) => kindsIn(tiers).some((kind) => by(kind) !== undefined);
  const anyDialect: DialectOf = ({ provider, modelMapping }) => {
    const upstreamModel = modelMapping.get(model) ?? model;
    const spoken = spokenBy(provider, upstreamModel);
    return route.nativeDialect?.(spoken) ?? rules.dialectOf(spoken, { model: upstreamModel, request: reading.request });
  };
  const sameDialect: DialectOf = (kind) => {
    const spoken = anyDialect(kind);
    return spoken?.speaks === route.dialect.name ? spoken : undefined;
  };
  const ratios = relay.settings.options.RequestFieldRatio;
  const isOffered = sent.offers !== undefined && settleOffers(reading, { ratios, isSpoken: isServed(sameDialect) });
  const isHosted = sent.omissible !== undefined && settleOmissible(reading, sent.omissible, isServed(sameDialect));
  const saidDialect = sent.unsupported?.what === undefined && !isOffered && !isHosted ? anyDialect : sameDialect;
  const search = searchOf(reading.request);
  /** How a channel is told that the web may be searched: in the caller's words, or translated. */
  const searching: DialectOf = (kind) => {
    const spoken = saidDialect(kind);
    const upstream = { model: kind.modelMapping.get(model) ?? model, isCachedOnly: search?.isCachedOnly };
    const isSearched = spoken !== undefined && searchesBy(kind.provider, spoken, upstream);
    return isSearched || (spoken?.speaks === route.dialect.name && spoken.hostsNoTools !== true) ? spoken : undefined;
  };
  if (search?.isOffer === true && !isServed(searching)) withoutSearch(reading);
  const spokenDialect = searchOf(reading.request) === undefined ? saidDialect : searching;
  const { account } = sent;
  const dialectOf: DialectOf = account === undefined ? spokenDialect : (kind) => (kind.opensAccount ? spokenDialect(kind) : undefined);
  if (isServed(dialectOf)) return { tiers, dialectOf };
  if (account !== undefined) throw refusedResource(account);
  if (sent.unsupported !== undefined && isServed(anyDialect)) throw sent.unsupported.refusal(model);
  throw new AppError('mode_not_supported', { model, mode: rules.mode });
}

/** Why no channel serves a model: none ever did, or those that do may not be called now. */
export function noChannelFor({ table }: Pick<Relay, 'table'>, { group, model }: { group: string; model: string }): AppError {
  const resting = table.resting(group, model);
  if (resting.length === 0) return new AppError('model_not_found', { model });
  // Official clients wait as long before they try again: for what an administrator disabled that is not worth it.
  const isBackSoon = resting.some(({ isSuspended }) => isSuspended);
  return new AppError('no_available_channel', { model, group }, isBackSoon ? { retryAfterSeconds: 30 } : {});
}

/** The channel that an administrator named. Throws: AppError where it may not be named or called. */
export function pinnedChannel(relay: Relay, { caller, channelId }: AuthContext): RoutedChannel {
  if (!caller.isAdmin) throw new AppError('channel_pinning_forbidden');
  if (channelId === undefined) throw new AppError('invalid_channel_id');
  const channel = relay.table.channel(channelId);
  if (channel === undefined) throw new AppError(relay.table.isUnusable(channelId) ? 'channel_disabled' : 'invalid_channel_id');
  if (!channel.isEnabled || channel.expiresAtMs <= relay.wallet.time()) throw new AppError('channel_disabled');
  return channel;
}

interface Shop {
  ratios: Readonly<Record<string, number>>;
  /** Some channel is sent the request in its own dialect. */
  isSpoken: boolean;
}

/**
 * Adds hosted tools that stand beside the caller's own to the request, or removes them and notes it: those without a price, and all of
 * them where no channel speaks the caller's dialect. True when some are left, so that the call belongs to channels that do.
 */
function settleOffers(reading: Reading, { ratios, isSpoken }: Shop): boolean {
  const { request, sent } = reading;
  const { offers } = sent;
  if (offers === undefined) return false;
  const kept = isSpoken ? offers.filter((tool) => isFreeOrPriced(tool, ratios)) : [];
  if (kept.length < offers.length) leaveOut(reading, new Set(offers.filter((tool) => !kept.includes(tool))), isSpoken);
  if (kept.length > 0) request.tools = [...((request.tools as unknown[] | undefined) ?? []), ...kept];
  return kept.length > 0;
}

function leaveOut(reading: Reading, dropped: ReadonlySet<unknown>, isSpoken: boolean): void {
  const { sent } = reading;
  const all = sent.json.tools as { type?: unknown }[];
  for (const [at, tool] of all.entries()) {
    const why = isSpoken ? 'it has no price here' : 'no channel of the model has it';
    if (dropped.has(tool)) noteChange(reading, `tools[${at}]`, `removed (${String(tool.type)}; ${why})`);
  }
  if (!isSpoken) return; // a translated request is made without them
  const tools = all.filter((tool) => !dropped.has(tool));
  sent.json = { ...sent.json, tools };
  sent.bytes = patchJson(sent.bytes, { set: { tools } });
}

/** The same without a search that no channel of the model can make. */
function withoutSearch(reading: Reading): void {
  const { [webSearch]: _search, ...request } = reading.request as AnyRequest & { [webSearch]?: unknown };
  reading.request = request as AnyRequest;
  const tools = (reading.sent.json.tools ?? []) as { type?: unknown }[];
  for (const [at, { type }] of tools.entries())
    if (hostedKindOf(type) === 'search') noteChange(reading, `tools[${at}]`, `removed (${String(type)}; no channel of the model has it)`);
}

/** Leaves out what no channel can be sent. Returns whether it stays, and so needs channels of the caller's dialect. */
function settleOmissible(reading: Reading, omissible: ReadonlyMap<ChatMessage, Omissible>, isSpoken: boolean): boolean {
  if (isSpoken) return true;
  for (const { param, what } of omissible.values()) noteChange(reading, param, `removed (${what})`);
  const request = reading.request as ChatRequest;
  request.messages = request.messages.filter((message) => !omissible.has(message));
  return false;
}

/** The channel and key whose provider keeps the turns before this one. Throws: AppError where it does not serve the model now. */
function boundTiers(
  tiers: Tiers,
  { channelId, keyId, model, group }: { channelId: number; keyId: number; model: string; group: string },
): Tiers {
  const bound = boundToKey(
    tiers.flat().find(({ id }) => id === channelId),
    keyId,
  );
  if (bound === undefined) throw new AppError('no_available_channel', { model, group });
  return [[bound]];
}
