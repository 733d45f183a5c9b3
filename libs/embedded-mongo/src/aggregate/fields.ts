/** Top-level fields that a `$group` reads, or undefined when it may read any. */
export function fieldsOfGroup(spec: unknown): Set<string> | undefined {
  const fields = new Set<string>();
  return collect(spec, fields) ? fields : undefined;
}

function collect(expression: unknown, fields: Set<string>): boolean {
  if (typeof expression === 'string') {
    if (!expression.startsWith('$')) return true;
    if (expression.startsWith('$$')) return expression === '$$NOW';
    fields.add(expression.slice(1).split('.')[0] as string);
    return true;
  }
  if (typeof expression !== 'object' || expression === null || expression instanceof Date || '_bsontype' in expression) return true;
  return Object.values(expression).every((part) => collect(part, fields));
}
