import {
  type HostedKind,
  hostedFields,
  hostedKindOf,
  makesCodeFree,
  namedEntry,
  type PiecePrices,
  type Usage,
  usualUses,
} from '@tollgate/contracts';
import { factsOf, type ModelRules } from '@tollgate/contracts/catalog';
import type { Price } from '@tollgate/pricing';
import { type AnyRequest, type JsonObject, patchJson, readSearch, webSearch } from '@tollgate/providers';
import type { HostedTools } from '../context/call.ts';
import { noteChange } from '../context/changes.ts';
import type { SentRequest } from '../context/route.ts';
import { isFreeOrPriced } from '../modes/field-prices.ts';
import type { Reading } from '../request/read-request.ts';

/** The class of usage in which the uses of a tool are counted. */
const pieceOf = { search: 'searches', code: 'toolCalls' } as const;

interface Asked {
  kind: HostedKind;
  name: string;
  tool: JsonObject;
}

interface Prices {
  ratios: Readonly<Record<string, number>>;
  price: Price | undefined;
}

/**
 * Finds the tools of a request that are charged by their uses, with their prices: those that the operator set for the model (PiecePrice), else the
 * catalog's. A search is then moved to `webSearch` of the canonical request, so that it can be translated; a request that limits no uses gets a limit,
 * which is noted. Undefined where there are none, or the operator charges them by RequestFieldRatio.
 */
export function settleHostedTools(reading: Reading, prices: Prices): HostedTools | undefined {
  const asked = askedIn(reading.request, reading.sent);
  if (asked === undefined) return undefined;
  const rules = factsOf(reading.request.model)?.rules.hosted;
  const isCodeFree = toolsIn(reading).some(({ type }) => makesCodeFree(type));
  const pieces: PiecePrices = {};
  const names = new Set<string>();
  const settled: Asked[] = [];
  for (const one of asked) {
    const dollars = one.kind === 'code' && isCodeFree ? 0 : dollarsOf(one, rules, prices);
    if (dollars === undefined) continue;
    names.add(one.name);
    pieces[pieceOf[one.kind]] = Math.max(pieces[pieceOf[one.kind]] ?? 0, dollars);
    settled.push(one);
  }
  const search = settled.find(({ kind }) => kind === 'search');
  if (search === undefined) reading.sent.unsupported?.insist();
  if (settled.length === 0) return undefined;
  const isSearchPerCall = rules?.search?.per === 'call';
  const most = {
    ...(pieces.searches !== undefined && { searches: isSearchPerCall ? 1 : limitedUses(reading, search as Asked) }),
    ...(pieces.toolCalls !== undefined && { toolCalls: usualUses }),
  };
  if (search !== undefined) moveSearch(reading, search, most.searches ?? usualUses);
  const field = search !== undefined && Object.hasOwn(hostedFields, search.name) ? search.name : undefined;
  return { names, pieces, most, isSearchPerCall, field };
}

/** As a rule none: a request is looked through only where it has tools. */
function askedIn(request: AnyRequest, { offers }: SentRequest): Asked[] | undefined {
  let asked: Asked[] | undefined;
  for (const list of [request.tools, offers]) {
    if (!Array.isArray(list)) continue;
    for (const tool of list as JsonObject[]) {
      const kind = hostedKindOf(tool.type);
      if (kind === undefined) continue;
      asked ??= [];
      asked.push({ kind, name: tool.type as string, tool });
    }
  }
  for (const field of Object.keys(hostedFields)) {
    const value = request[field];
    if (value === undefined || value === null || value === false) continue;
    asked ??= [];
    asked.push({ kind: hostedFields[field] as HostedKind, name: field, tool: typeof value === 'object' ? (value as JsonObject) : {} });
  }
  return asked;
}

function toolsIn({ request, sent }: Reading): JsonObject[] {
  return [...((request.tools as JsonObject[] | undefined) ?? []), ...(sent.offers ?? [])];
}

/** US dollars per use; undefined where the operator charges it otherwise or the price is unknown. */
function dollarsOf({ kind, name }: Asked, rules: ModelRules['hosted'], { ratios, price }: Prices): number | undefined {
  if (Object.hasOwn(ratios, name) || isFreeOrPriced({ type: name }, ratios)) return undefined;
  const own = price?.ordinary.pieces?.[pieceOf[kind]];
  if (own !== undefined) return own;
  const rule = rules?.[kind];
  return rule && (namedPrice(rule.byName, name) ?? rule.dollars);
}

function namedPrice(table: Readonly<Record<string, number>> | undefined, name: string): number | undefined {
  return table && namedEntry(table, name);
}

/** How many searches the request allows; where it names no limit, one is added in its dialect. */
function limitedUses(reading: Reading, { tool, name }: Asked): number {
  const { sent } = reading;
  const { json } = sent;
  if (name.startsWith('web_search_2') && Array.isArray(json.tools)) {
    const stated = tool.max_uses;
    if (isLimit(stated)) return stated;
    const tools = json.tools as JsonObject[];
    const at = tools.findIndex((one) => one?.type === name);
    if (at < 0) return usualUses;
    setField(sent, 'tools', tools.with(at, { ...tools[at], max_uses: usualUses }));
    noteChange(reading, `tools[${at}].max_uses`, `set to ${usualUses}`);
    return usualUses;
  }
  if (json.input === undefined) return usualUses;
  if (isLimit(json.max_tool_calls)) return json.max_tool_calls;
  setField(sent, 'max_tool_calls', usualUses);
  noteChange(reading, 'max_tool_calls', `set to ${usualUses}`);
  return usualUses;
}

function isLimit(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

function setField(sent: SentRequest, name: string, value: unknown): void {
  sent.json = { ...sent.json, [name]: value };
  sent.bytes = patchJson(sent.bytes, { set: { [name]: value } });
}

/** The search out of the tools of the canonical request, and a choice of it; its own bytes keep it. */
function moveSearch(reading: Reading, { tool, name }: Asked, most: number): void {
  const { request, sent } = reading;
  const isOffer = sent.offers?.includes(tool) === true;
  const isOther = ({ type }: { type?: unknown }) => hostedKindOf(type) !== 'search';
  if (sent.offers !== undefined) {
    const offers = sent.offers.filter(isOther);
    sent.offers = offers.length > 0 ? offers : undefined;
  }
  const { tools, tool_choice: choice, ...rest } = request as AnyRequest & { tools?: JsonObject[]; tool_choice?: unknown };
  const others = tools?.filter(isOther);
  const chosen = (choice as { function?: { name?: unknown } } | null | undefined)?.function?.name;
  const isChosen = chosen !== undefined && chosen === (tool.name ?? name);
  reading.request = {
    ...rest,
    ...(others !== undefined && others.length > 0 && { tools: others }),
    ...(choice !== undefined && !isChosen && { tool_choice: choice }),
    [webSearch]: { ...readSearch(tool, most), ...(isOffer && { isOffer }) },
  } as AnyRequest;
}

/** The part of a usage that is charged: no more uses than were held, and none of a tool without a price per use. */
export function chargedUses(usage: Usage, hosted: HostedTools | undefined, delivered: number | undefined): Usage {
  if (hosted === undefined) return usage.searches || usage.toolCalls ? withoutUses(usage) : usage;
  const { most, isSearchPerCall, field } = hosted;
  const made = Math.max(usage.searches ?? 0, delivered ?? 0);
  const isOnePerCall = isSearchPerCall && (made > 0 || field === 'web_search_options');
  const searches = isOnePerCall ? 1 : Math.min(made, most.searches ?? 0);
  const toolCalls = Math.min(usage.toolCalls ?? 0, most.toolCalls ?? 0);
  if (searches === (usage.searches ?? 0) && toolCalls === (usage.toolCalls ?? 0)) return usage;
  return { ...withoutUses(usage), ...(searches > 0 && { searches }), ...(toolCalls > 0 && { toolCalls }) };
}

function withoutUses({ searches: _searches, toolCalls: _calls, ...usage }: Usage): Usage {
  return usage;
}
