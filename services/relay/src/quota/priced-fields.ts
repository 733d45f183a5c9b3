import {
  callersTools,
  isFreeValue,
  namedEntry,
  pricedFields,
  pricedParts,
  pricedToolName,
  promptTokensOf,
  type Usage,
} from '@tollgate/contracts';
import { factsOf } from '@tollgate/contracts/catalog';
import { type CallPrice, type ClassFactors, evenFactors, type Price, timesFactors } from '@tollgate/pricing';
import type { AnyRequest, ServedBy } from '@tollgate/providers';
import type { AskedCall, Checked, Extra } from '../context/call.ts';
import type { Bill } from '../context/terms.ts';
import { namesOf, ratioOf, type ToolLike } from '../modes/field-prices.ts';
import { kindsIn, type RoutedChannel, type Tiers } from '../routing/channel-table.ts';

/**
 * What a request asks for beyond the ordinary price; undefined for nothing, as nearly always. What it may be and what is free
 * stands in the table of contracts, what it costs in the model's price (`modes`), else in the option `RequestFieldRatio`.
 * Throws: AppError `unpriced_request_field` that names what has no price.
 */
export function extrasOf(request: AnyRequest, { ratios, modes, byUse }: FieldPrices, tiers: Tiers): Extra[] | undefined {
  let extras: Extra[] | undefined;
  for (const { field, free } of pricedFields) {
    const value = request[field];
    if (value === undefined || value === null || free.includes(value as string) || isEmptyList(value) || byUse?.has(field)) continue;
    extras ??= [];
    extras.push({ field, by: factorsFor(request.model, { field, value }, { ratios, modes }) });
  }
  for (const { field } of pricedParts) {
    const value = request[field];
    if (value === undefined) continue;
    extras ??= [];
    extras.push({ field: undefined, by: factorsFor(request.model, { field, value }, { ratios, modes }) });
  }
  if (!Array.isArray(request.tools) || request.tools.length === 0) return extras;
  for (const tool of request.tools) {
    const name = providersTool(tool as ToolLike, tiers);
    if (name === undefined || byUse?.has(name)) continue;
    extras ??= [];
    extras.push({ field: undefined, by: evenFactors(ratioOf('tools', name, ratios)) });
  }
  return extras;
}

/** By the model's list, the option, or the rules of the model's family. */
function factorsFor(model: string, { field, value }: { field: string; value: unknown }, { ratios, modes }: FieldPrices): ClassFactors {
  const names = namesOf(field, value);
  const listed = firstOf(names, (named) => modes?.get(named));
  if (listed !== undefined) return listed;
  const isSet = ratios[field] !== undefined || names.some((named) => ratios[named] !== undefined);
  const ofFamily = isSet ? undefined : firstOf(names, (named) => factsOf(model)?.rules.fields?.[named]);
  return evenFactors(ofFamily ?? ratioOf(field, value, ratios));
}

/** What fields of requests cost: of all models, and of this one. */
interface FieldPrices {
  ratios: Readonly<Record<string, number>>;
  modes?: Price['modes'];
  /** Tools and fields that are charged by their uses. */
  byUse?: ReadonlySet<string> | undefined;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** The name of a tool that runs at the provider; undefined for one that the caller runs. */
function providersTool(tool: ToolLike, tiers: Tiers): string | undefined {
  const { type } = tool;
  if (type !== undefined && type !== null && namedEntry(callersTools, pricedToolName(tool)) === undefined) return String(type);
  const name = tool.function?.name;
  if (typeof name !== 'string') return undefined;
  return kindsIn(tiers).some(({ provider }) => provider.ownFunctions?.has(name)) ? name : undefined;
}

/** Fields of a request with a price of its own that a channel does not know: it is not sent them, and they cost nothing there. */
export function unknownFields({ extras, hosted }: Checked, { provider }: RoutedChannel): string[] | undefined {
  const asked = hosted?.field === undefined ? extras : [...(extras ?? []), { field: hosted.field }];
  return asked?.flatMap(({ field }) => (field === undefined || provider.pricedFields?.includes(field) ? [] : [field]));
}

/** What a call is charged by: the price for a prompt of this length, times what the request asks for besides, or what it got instead. */
export function priceFor(call: AskedCall, { usage, served }: Pick<Bill, 'usage' | 'served'>): CallPrice {
  const { checked } = call;
  const price = priceByLength(checked, promptTokensOf(usage));
  const extras = served === undefined ? askedExtras(call) : servedExtras(call, served);
  if (extras === undefined) return withUses(price, checked);
  return withUses(
    extras.reduce((product, { by }) => timesFactors(product, by), price),
    checked,
  );
}

/** What was requested and sent. */
function askedExtras({ checked, channel }: AskedCall): Extra[] | undefined {
  const { extras } = checked;
  if (extras === undefined) return undefined;
  const unknown = unknownFields(checked, channel) ?? [];
  return extras.filter(({ field }) => field === undefined || !unknown.includes(field));
}

/** The same, except for fields of which the answer states another value: a tier that was full, or one that the account is set to. */
function servedExtras(call: AskedCall, served: ServedBy): Extra[] | undefined {
  let extras = askedExtras(call);
  for (const field in served) {
    const by = servedFactors(call.checked, field, served[field] as string);
    if (by === undefined || (by === 'ordinary' && extras === undefined)) continue;
    const others = extras?.filter((extra) => extra.field !== field) ?? [];
    extras = by === 'ordinary' ? others : [...others, { field, by }];
  }
  return extras;
}

/** What a stated value costs; undefined where its price is unknown, so that what was requested is charged. */
function servedFactors({ model, price, fieldRatios }: Checked, field: string, value: string): ClassFactors | 'ordinary' | undefined {
  const isFree = isFreeValue(field, value);
  if (isFree === undefined || fieldRatios === undefined) return undefined;
  if (isFree) return 'ordinary';
  return firstOf(namesOf(field, value), (named) => {
    const ratio = namedEntry(fieldRatios, named) ?? factsOf(model)?.rules.fields?.[named];
    return price.modes?.get(named) ?? (ratio === undefined ? undefined : evenFactors(ratio));
  });
}

function firstOf<Found>(names: readonly string[], find: (name: string) => Found | undefined): Found | undefined {
  for (const name of names) {
    const found = find(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** With the prices of tools that are charged by their uses, which no tier and no speed changes. */
function withUses(price: CallPrice, { hosted }: Checked): CallPrice {
  return hosted === undefined ? price : { ...price, pieces: { ...price.pieces, ...hosted.pieces } };
}

/** The most that a prompt of this length may be charged by, whichever channel answers. */
export function dearestPrice(checked: Checked, usage: Usage): CallPrice {
  const price = priceByLength(checked, promptTokensOf(usage));
  const dearest =
    checked.extras === undefined ? price : checked.extras.reduce((product, { by }) => timesFactors(product, notCheaper(by)), price);
  return withUses(dearest, checked);
}

function notCheaper(by: ClassFactors): ClassFactors {
  return Object.fromEntries(Object.entries(by).map(([kind, times]) => [kind, Math.max(1, times)])) as ClassFactors;
}

function priceByLength({ price: { ordinary, tiers } }: Checked, promptTokens: number): CallPrice {
  return tiers?.find(({ above }) => promptTokens > above)?.price ?? ordinary;
}
