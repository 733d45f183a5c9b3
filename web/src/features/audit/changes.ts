export interface FieldChange {
  /** '': the whole of it, where it has no fields. */
  field: string;
  before: string | undefined;
  after: string | undefined;
}

/** A change field by field, out of the two JSON texts of a row; '' is nothing. */
export function changesIn({ before, after }: { before: string; after: string }): FieldChange[] {
  const [old, now] = [valueIn(before), valueIn(after)];
  if (!isObject(old) && !isObject(now)) return [{ field: '', before: textOf(old), after: textOf(now) }];
  const [from, to] = [fieldsOf(old), fieldsOf(now)];
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
  return names.map((field) => ({ field, before: textOf(from[field]), after: textOf(to[field]) }));
}

function valueIn(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (isObject(value)) return value;
  return value === undefined ? {} : { '': value };
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 1);
}
