import requestFieldPrices from './data/request-field-prices.json' with { type: 'json' };
import { namedEntry } from './named-entry.ts';

/** A field of requests that changes what a provider asks, and the values that do not. */
export interface PricedField {
  field: string;
  free: (string | boolean)[];
  /** Values that mean another one, and cost what that costs. */
  same?: Readonly<Record<string, string>>;
  source: string;
}

export const pricedFields: readonly PricedField[] = requestFieldPrices.fields;

const fieldsByName: ReadonlyMap<string, PricedField> = new Map(pricedFields.map((one) => [one.field, one]));

/** Whether a value of a priced field costs the ordinary price; undefined for a field without a price of its own. */
export function isFreeValue(field: string, value: string | boolean): boolean | undefined {
  return fieldsByName.get(field)?.free.includes(value);
}

/** The value that a value of a priced field stands for: itself as a rule. */
export function meantValue(field: string, value: string): string {
  const { same } = fieldsByName.get(field) ?? {};
  return same !== undefined && Object.hasOwn(same, value) ? (same[value] as string) : value;
}

/** Parts of a request in its own dialect with a price of their own, by the names under which the canonical request has them. */
export const pricedParts: readonly PricedField[] = requestFieldPrices.parts;

/** Types of tools that cost nothing but tokens, as a rule because they run at the caller; a name may end in `*`. Every other tool has a price. */
export const callersTools: Readonly<Record<string, true>> = Object.fromEntries(
  requestFieldPrices.tools.free.map((name) => [name, true as const]),
);

/** The name by which a tool is priced: its type, and where it runs when it says so (`shell=local`). */
export function pricedToolName({ type, environment }: { type?: unknown; environment?: unknown }): string {
  const place = (environment as { type?: unknown } | null | undefined)?.type;
  return type === 'shell' && place === 'local' ? 'shell=local' : String(type);
}

/** A tool that runs at the provider and is charged by its uses. */
export type HostedKind = 'search' | 'code';

const { hosted } = requestFieldPrices;
const kindsByName: Readonly<Record<string, HostedKind>> = Object.fromEntries(
  (['search', 'code'] as const).flatMap((kind) => hosted[kind].map((name) => [name, kind])),
);

/** How many uses are held for a call that sets no limit itself. */
export const usualUses = hosted.usual;

/** Fields of chat completions that ask for such a tool. */
export const hostedFields = hosted.fields as Readonly<Record<string, HostedKind>>;

/** Which tool charged by its uses a type in a request names; undefined for any other. */
export function hostedKindOf(type: unknown): HostedKind | undefined {
  return typeof type === 'string' ? namedEntry(kindsByName, type) : undefined;
}

/** Whether code that runs beside a tool of this type costs nothing: newer versions of web search and web fetch. */
export function makesCodeFree(type: unknown): boolean {
  const { names, from } = hosted.codeFreeBeside;
  const name = typeof type === 'string' ? names.find((one) => type.startsWith(one)) : undefined;
  return name !== undefined && (type as string).slice(name.length) >= from;
}
