export * from './api/index.ts';
export * from './channel-types.ts';
export * from './constants.ts';
export * from './default-prices.ts';
export * from './errors.ts';
export * from './events.ts';
export type { OptionAccess, OptionDefinition, OptionSection } from './options/kinds.ts';
export * from './options/registry.ts';
export * from './usage.ts';
