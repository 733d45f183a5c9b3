import type { z } from 'zod';
import type { OptionDefinition } from './definition.ts';
import { operationOptions } from './operation.ts';
import { otherOptions } from './other.ts';
import { priceOptions } from './prices.ts';
import { rateLimitOptions } from './rate-limit.ts';
import { storedResponseOptions } from './stored-responses.ts';
import { systemOptions } from './system.ts';

/** Every setting that is changed while the product runs. The API, the caches, the settings pages and the docs come from here. */
export const optionRegistry = {
  ...operationOptions,
  ...storedResponseOptions,
  ...priceOptions,
  ...rateLimitOptions,
  ...systemOptions,
  ...otherOptions,
} satisfies Record<string, OptionDefinition<never> | OptionDefinition>;

export type OptionKey = keyof typeof optionRegistry;
export type OptionValues = { [K in OptionKey]: z.output<(typeof optionRegistry)[K]['schema']> };

export const optionKeys = Object.keys(optionRegistry) as OptionKey[];

/** Names that older clients of the product family use for an option of ours. */
export const optionAliases: Record<string, OptionKey> = { ShouldPreConsumedQuota: 'PreConsumedQuota' };

export function isOptionKey(key: string): key is OptionKey {
  return Object.hasOwn(optionRegistry, key);
}

/** What an option says of itself, whatever its value is. */
export function optionAbout(key: OptionKey): OptionDefinition {
  return optionRegistry[key];
}

/** The value that a stored text stands for. Throws a ZodError when the text is none that the option can have. */
export function parseOption<K extends OptionKey>(key: K, text: string): OptionValues[K] {
  return optionRegistry[key].schema.parse(text) as OptionValues[K];
}

/** The value that a stored text stands for; the default when there is none, or one that no longer parses. */
export function optionValue<K extends OptionKey>(key: K, text: string | undefined): OptionValues[K] {
  const definition = optionAbout(key);
  const parsed = text === undefined ? undefined : definition.schema.safeParse(text);
  return (parsed?.success ? parsed.data : definition.schema.parse(definition.defaultText)) as OptionValues[K];
}

/** All options with their values: the stored texts over the defaults. */
export function optionValues(stored: ReadonlyMap<string, string>): OptionValues {
  return Object.fromEntries(optionKeys.map((key) => [key, optionValue(key, stored.get(key))])) as OptionValues;
}
