import type { JsonObject } from '@tollgate/providers';
import type { ModelView } from '../dialect.ts';
import { checkInteger, wrong } from '../fields.ts';

const limits = { least: 1, most: 1000 };
const usualLimit = 20;

/**
 * The page that is asked for of a list in the order of its names. A model that has gone meanwhile still marks its place.
 * Throws: AppError `invalid_request`. Source: https://docs.anthropic.com/en/api/models-list
 */
export function pageOf(models: readonly ModelView[], query: URLSearchParams): JsonObject {
  const limit = Number(query.get('limit') ?? usualLimit);
  checkInteger({ limit }, 'limit', limits);
  const [after, before] = [query.get('after_id'), query.get('before_id')];
  if (after !== null && before !== null) throw wrong('after_id and before_id cannot be given together', 'after_id');
  const asked = models.filter(({ id }) => (after === null || id > after) && (before === null || id < before));
  const data = (before === null ? asked.slice(0, limit) : asked.slice(-limit)).map(toModel);
  return { data, has_more: data.length < asked.length, first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null };
}

export function toModel({ id, created }: ModelView): JsonObject {
  return { type: 'model', id, display_name: id, created_at: new Date(created * 1000).toISOString(), lifecycle: 'active' };
}
