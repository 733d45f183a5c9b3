import { callersTools, meantValue, namedEntry, pricedToolName } from '@tollgate/contracts';
import { AppError } from '@tollgate/runtime';

const longestName = 64;

export interface ToolLike {
  type?: unknown;
  /** Where a shell runs. */
  environment?: unknown;
  function?: { name?: unknown } | null;
}

/** How many times the ordinary price a request costs with this value of a field. Throws: AppError `unpriced_request_field`. */
export function ratioOf(field: string, value: unknown, ratios: Readonly<Record<string, number>>): number {
  for (const named of namesOf(field, value)) {
    const ratio = statedRatio(field, named, ratios);
    if (ratio !== undefined) return ratio;
  }
  throw new AppError('unpriced_request_field', { field: nameOf(field, value) }, { param: field });
}

/** The names under which a value may have a price: that of the value it means first, so that another spelling is no cheaper. */
export function namesOf(field: string, value: unknown): string[] {
  const meant = typeof value === 'string' ? meantValue(field, value) : value;
  return meant === value ? [nameOf(field, value)] : [nameOf(field, meant), nameOf(field, value)];
}

/** The name that a price is stored under: `field=value` for a plain value, else `field`. */
export function nameOf(field: string, value: unknown): string {
  const isPlain = typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number';
  return isPlain ? `${field}=${String(value).slice(0, longestName)}` : field;
}

function statedRatio(field: string, named: string, ratios: Readonly<Record<string, number>>): number | undefined {
  return namedEntry(ratios, named) ?? (Object.hasOwn(ratios, field) ? ratios[field] : undefined);
}

/** Whether a tool of the provider's costs its tokens alone, or has a price. */
export function isFreeOrPriced(tool: ToolLike, ratios: Readonly<Record<string, number>>): boolean {
  const name = pricedToolName(tool);
  return namedEntry(callersTools, name) !== undefined || statedRatio('tools', nameOf('tools', name), ratios) !== undefined;
}
