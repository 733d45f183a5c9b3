import type { Source } from './source.ts';

export const products = ['one-api', 'new-api'] as const;
export type Product = (typeof products)[number];

/** Tables that hold nothing of their own: abilities are computed from channels, the others count, cache or lock. */
const derived = new Set([
  'abilities',
  'setups',
  'perf_metrics',
  'system_instances',
  'quota_data',
  'user_sessions',
  'auth_flows',
  'casbin_rule',
]);
const imported = new Set(['users', 'tokens', 'channels', 'redemptions', 'options', 'top_ups']);

/** Tells the product by its columns. Throws an Error for a database of something else. */
export function productOf({ tables }: Source): Product {
  const has = (table: string, column: string) => tables.get(table)?.has(column) === true;
  const isOfFamily = has('users', 'quota') && has('tokens', 'remain_quota') && has('channels', 'models') && has('options', 'value');
  if (!isOfFamily)
    throw new Error('--from: this is a database of neither one-api nor new-api: users, tokens, channels or options are missing.');
  if (has('users', 'aff_quota') && has('tokens', 'deleted_at') && has('tokens', 'model_limits')) return 'new-api';
  if (!has('users', 'aff_quota') && !has('tokens', 'deleted_at') && !tables.has('user_groups')) return 'one-api';
  throw new Error('--from: this database belongs to another product of the family (one-hub, for example), which cannot be imported yet.');
}

/** Tables that an import leaves out although they hold something. */
export function otherTables({ tables }: Source): string[] {
  return [...tables.keys()].filter((table) => !derived.has(table) && !imported.has(table)).sort();
}
