import { type LogFilters, logType } from '@tollgate/contracts';
import { CallFailure, UsageLog, User } from '@tollgate/db';
import type { Caller } from '../../auth/caller.ts';
import { listTimeoutMs } from '../../http/page.ts';

export type Filter = Record<string, unknown>;

/** Whose rows are looked at: everybody's, one user's, or the own ones, of which nobody is told which channel answered. */
export type Scope = { everybody: true } | { userId: number; isOwn?: true };

/** The user a log query is about. Names are looked up first, so that renaming hides nothing. */
export async function scopeOf(filters: Pick<LogFilters, 'username'>): Promise<Scope> {
  if (filters.username === '') return { everybody: true };
  const user = await User.findOne({ username: filters.username }).select('id').lean();
  return { userId: user?.id ?? -1 };
}

export function ownScope(caller: Caller): Scope {
  return { userId: caller.id, isOwn: true };
}

export type NamedFilters = LogFilters & { models: string[] | undefined };

/**
 * The filters with the names of models that `model_name` stands for: `*` or `%` in it are whatever stands there. With names instead of a pattern the newest rows come from an index in order, and it counts them, however rare the models are.
 */
export async function named<F extends LogFilters>(filters: F): Promise<F & NamedFilters> {
  const { model_name: model } = filters;
  if (model === '') return { ...filters, models: undefined };
  const parts = model.split(/[*%]/);
  if (parts.length === 1) return { ...filters, models: [model] };
  if (parts.every((part) => part === '')) return { ...filters, models: undefined };
  const [begin = ''] = parts;
  const within = { model: begin === '' ? { $gt: '' } : { $gte: begin, $lt: `${begin}\u{10ffff}` } };
  const [called, failed]: string[][] = await Promise.all([
    UsageLog.distinct('model', within).maxTimeMS(listTimeoutMs),
    CallFailure.distinct('model', within).maxTimeMS(listTimeoutMs),
  ]);
  const names = [...new Set([...(called ?? []), ...(failed ?? [])])];
  return { ...filters, models: names.filter((name) => hasParts(name, parts)) };
}

/** Whether a name begins with the first part, ends with the last, and holds the others between them in their order. */
function hasParts(name: string, parts: readonly string[]): boolean {
  const [begin = '', ...others] = parts;
  const end = others.pop() ?? '';
  if (!name.startsWith(begin)) return false;
  let at = begin.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - end.length >= at && name.endsWith(end);
}

/** What rows and roll-ups have in common. */
export function sharedFilter(filters: NamedFilters, scope: Scope): Filter {
  const { models, channel, group, token_name: tokenName } = filters;
  return {
    ...('userId' in scope && { userId: scope.userId }),
    ...(models && { model: models.length === 1 ? models[0] : { $in: models } }),
    ...(!('isOwn' in scope) && channel > 0 && { channelId: channel }),
    ...(group !== '' && { group }),
    ...(tokenName !== '' && { tokenName }),
  };
}

export function rowFilter(filters: NamedFilters, scope: Scope): Filter {
  const { type } = filters;
  return {
    ...sharedFilter(filters, scope),
    ...(type > 0 && { type }),
    ...byIdOrTime(filters),
  };
}

/** Failed calls; those of no known key belong to nobody and are in nobody's own log. */
export function failureFilter(filters: NamedFilters, scope: Scope): Filter {
  return { ...sharedFilter(filters, scope), ...byIdOrTime(filters) };
}

/** A request id is found whenever its call was. */
function byIdOrTime({ request_id: requestId, start_timestamp: start, end_timestamp: end }: LogFilters): Filter {
  return requestId === '' ? between(start * 1000, end > 0 ? end * 1000 + 999 : 0) : { _id: requestId };
}

/**
 * The same without the rows that `LogConsumeEnabled` keeps out of sight. They are looked for first, by an index of them alone, which needs a moment to be used:
 * where there are none, and there hardly ever are any, the filter stays one that an index can count by itself.
 */
export async function shown(filter: Filter): Promise<Filter> {
  const anyHidden = await UsageLog.exists({ at: filter.at ?? { $gt: new Date(0) }, hidden: true }).maxTimeMS(listTimeoutMs);
  return anyHidden ? { ...filter, hidden: { $ne: true } } : filter;
}

/** Calls only, from one moment to another, both inclusive in ms. */
export function callFilter(filters: NamedFilters, scope: Scope, fromMs: number, toMs: number): Filter {
  return { ...sharedFilter(filters, scope), type: logType.consume, ...between(fromMs, toMs) };
}

function between(fromMs: number, toMs: number): Filter {
  const at = { ...(fromMs > 0 && { $gte: new Date(fromMs) }), ...(toMs > 0 && { $lte: new Date(toMs) }) };
  return Object.keys(at).length > 0 ? { at } : {};
}
