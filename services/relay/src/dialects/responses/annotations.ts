import { isObject, type JsonObject } from '@tollgate/providers';

/** What an annotation of each type must have. Source: https://platform.openai.com/docs/api-reference/responses/object */
const required = new Map<unknown, readonly string[]>([
  ['url_citation', ['url', 'title', 'start_index', 'end_index']],
  ['file_citation', ['file_id']],
  ['container_file_citation', ['file_id', 'container_id']],
  ['file_path', ['file_id']],
]);
const defaults: JsonObject = { title: '', start_index: 0, end_index: 0 };

/** A note on an answer's words as an annotation of Responses; undefined where they have none for it, such as a parsed file of OpenRouter's. */
export function annotationOf({ type, ...more }: JsonObject): JsonObject | undefined {
  const fields = required.get(type);
  if (fields === undefined) return undefined;
  const { index: _index, ...flat } = more;
  const inner = more[String(type)];
  const stated = isObject(inner) ? inner : flat;
  const annotation = { type, ...stated };
  for (const field of fields) {
    const value = stated[field] ?? defaults[field];
    if (value === undefined) return undefined;
    (annotation as JsonObject)[field] = value;
  }
  return annotation;
}
