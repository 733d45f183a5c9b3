import { rulesOf } from './model-rules.ts';
import { objectOf, objectsIn } from './objects.ts';
import type { AnyDialect, DialectName, JsonObject, Provider } from './provider.ts';

/**
 * Marks a request in the canonical format that lets the model search the web. A symbol: no caller's field can set it, and the relay does so only
 * once the search has a price.
 */
export const webSearch = Symbol('web search');

/** A web search that runs at the provider, independent of dialects. */
export interface WebSearch {
  /** How many searches quota is held for. It is sent as the limit to providers that support one. */
  most: number;
  allowed?: string[];
  blocked?: string[];
  /** `city`, `region`, `country`, `timezone` of the end user. */
  location?: JsonObject;
  /** How much of what is found the model reads: `low`, `medium` or `high`. */
  size?: string;
  /** Only what the provider has of the web already may be read (`external_web_access: false`): no other provider can promise that. */
  isCachedOnly?: boolean;
  /** The caller has other tools and requires no call: the request may go without the search. */
  isOffer?: boolean;
}

export interface WithWebSearch {
  [webSearch]?: WebSearch;
}

/** The search of a request; undefined for none. */
export function searchOf(request: object): WebSearch | undefined {
  return (request as WithWebSearch)[webSearch];
}

/** The search settings of a tool or of the field `web_search_options`. */
export function readSearch(stated: JsonObject, most: number): WebSearch {
  const { allowed_domains: allowed, blocked_domains: blocked, filters, user_location: place, search_context_size: size } = stated;
  const { approximate, type: _type, ...location } = objectOf(place);
  const { allowed_domains: alsoAllowed, blocked_domains: alsoBlocked, excluded_domains: excluded } = objectOf(filters);
  const only = textsIn(allowed ?? alsoAllowed);
  const never = textsIn(blocked ?? alsoBlocked ?? excluded);
  const where = approximate === undefined ? location : objectOf(approximate);
  return {
    most,
    ...(only.length > 0 && { allowed: only }),
    ...(never.length > 0 && { blocked: never }),
    ...(Object.keys(where).length > 0 && { location: where }),
    ...(typeof size === 'string' && { size }),
    ...(stated.external_web_access === false && { isCachedOnly: true }),
  };
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
}

/** Whether a search can be translated for a channel; `model` is the upstream name. */
export function searchesBy(
  { pricedFields = [] }: Provider,
  dialect: AnyDialect,
  { model, isCachedOnly = false }: { model: string; isCachedOnly?: boolean | undefined },
): boolean {
  const search = rulesOf(model).hosted?.search;
  if (search === undefined || dialect.hostsNoTools === true || isCachedOnly) return false;
  if (dialect.speaks === 'openai') return search.field !== undefined && pricedFields.includes(search.field);
  return dialect.speaks !== 'own';
}

/** The tool in Anthropic's words. Source: https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/web-search-tool */
export function anthropicSearch({ most, allowed, blocked, location }: WebSearch): JsonObject {
  return {
    type: 'web_search_20250305',
    name: 'web_search',
    max_uses: most,
    ...(allowed !== undefined ? { allowed_domains: allowed } : blocked !== undefined && { blocked_domains: blocked }),
    ...(location !== undefined && { user_location: { type: 'approximate', ...location } }),
  };
}

/** The tool in the Responses format. Source: https://platform.openai.com/docs/guides/tools-web-search */
export function responsesSearch({ allowed, location, size }: WebSearch): JsonObject {
  return {
    type: 'web_search',
    ...(allowed !== undefined && { filters: { allowed_domains: allowed } }),
    ...(location !== undefined && { user_location: { type: 'approximate', ...location } }),
    ...(size !== undefined && { search_context_size: size }),
  };
}

/** The value for chat completions, in the field that the model's rules name. */
export function searchField(field: string, { location, size }: WebSearch): unknown {
  if (field !== 'web_search_options') return true;
  return {
    ...(location !== undefined && { user_location: { type: 'approximate', approximate: location } }),
    ...(size !== undefined && { search_context_size: size }),
  };
}

/** Search settings that a dialect does not support. */
export function unsaidOfSearch({ allowed, blocked }: WebSearch, speaks: DialectName): string[] {
  const cannot = speaks === 'responses' ? blocked : (blocked ?? allowed);
  return cannot === undefined || speaks === 'anthropic' ? [] : ['web_search domains'];
}

/** How many searches the items of a response are. Source: https://platform.openai.com/docs/guides/tools-web-search#output-and-citations */
export function searchesIn(output: unknown): number {
  return objectsIn(output).filter(isSearch).length;
}

/** Pages that are opened, and places that are looked for in them, are no searches. */
export function isSearch({ type, action, status }: JsonObject): boolean {
  if (type !== 'web_search_call' || status === 'failed') return false;
  const { type: did = 'search' } = objectOf(action);
  return did === 'search';
}
