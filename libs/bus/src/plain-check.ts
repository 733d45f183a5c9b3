import type { z } from 'zod';

/** True when the schema would accept this parsed JSON value and return it unchanged. False when the schema itself must decide. */
export type PlainCheck = (value: unknown) => boolean;

/** The parts of a schema's definition that are read here: https://zod.dev/library-authors */
interface Definition {
  type: string;
  checks?: readonly { _zod: { def: CheckDefinition } }[];
  coerce?: boolean;
  /** Of a number or a string with a format. */
  format?: string;
  values?: readonly unknown[];
  entries?: Record<string, unknown>;
  element?: z.ZodType;
  innerType?: z.ZodType;
  shape?: Record<string, z.ZodType>;
}

interface CheckDefinition {
  check: string;
  value?: number;
  inclusive?: boolean;
  minimum?: number;
  maximum?: number;
}

/**
 * Nearly all events are valid, and parsing with the schema takes several times as long as parsing the JSON because it copies each object.
 * This check finds values that the schema would return unchanged. Returns undefined for a schema with unsupported parts.
 */
export function plainCheck(schema: z.ZodType): PlainCheck | undefined {
  const definition = schema.def as unknown as Definition;
  if (definition.coerce === true) return undefined;
  const kind = kindCheck(definition);
  const further = (definition.checks ?? []).map((check) => furtherCheck(check._zod.def));
  if (kind === undefined || !further.every((check) => check !== undefined)) return undefined;
  const [first, second] = further;
  if (first === undefined) return kind;
  if (second === undefined) return (value) => kind(value) && first(value);
  return (value) => kind(value) && further.every((check) => check(value));
}

function kindCheck({ type, format, values, entries, element, innerType, shape }: Definition): PlainCheck | undefined {
  if (type === 'number' && format === 'safeint') return Number.isSafeInteger;
  if (format !== undefined) return undefined;
  if (type === 'number') return Number.isFinite;
  if (type === 'string') return (value) => typeof value === 'string';
  if (type === 'boolean') return (value) => typeof value === 'boolean';
  if (type === 'literal' && values) return oneOf(values);
  if (type === 'enum' && entries && Object.values(entries).every((value) => typeof value === 'string'))
    return oneOf(Object.values(entries));
  if (type === 'array' && element) return listCheck(plainCheck(element));
  if (type === 'optional' && innerType) return plainCheck(innerType); // a property in JSON is never undefined
  if (type === 'object' && shape) return objectCheck(shape);
  return undefined;
}

function furtherCheck({ check, value, inclusive, minimum, maximum }: CheckDefinition): PlainCheck | undefined {
  if (check === 'greater_than' && typeof value === 'number') {
    return inclusive ? (given) => (given as number) >= value : (given) => (given as number) > value;
  }
  if (check === 'less_than' && typeof value === 'number') {
    return inclusive ? (given) => (given as number) <= value : (given) => (given as number) < value;
  }
  if (check === 'min_length' && minimum !== undefined) return (given) => (given as { length: number }).length >= minimum;
  if (check === 'max_length' && maximum !== undefined) return (given) => (given as { length: number }).length <= maximum;
  return undefined;
}

function oneOf(values: readonly unknown[]): PlainCheck {
  const known = new Set(values);
  return (value) => known.has(value);
}

function listCheck(isPlain: PlainCheck | undefined): PlainCheck | undefined {
  return isPlain && ((value) => Array.isArray(value) && value.every((each) => isPlain(each)));
}

/** An object with exactly these fields: the schema may drop or reject others. */
function objectCheck(shape: Record<string, z.ZodType>): PlainCheck | undefined {
  const names = Object.keys(shape);
  const checks = Object.values(shape).map(plainCheck);
  const isOptional = Object.values(shape).map((schema) => (schema.def as unknown as Definition).type === 'optional');
  if (checks.includes(undefined) || names.some((name) => name in Object.prototype)) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null) return false;
    let count = 0;
    for (let at = 0; at < names.length; at++) {
      const held = (value as Record<string, unknown>)[names[at] as string];
      if (held === undefined && isOptional[at]) continue;
      if (!(checks[at] as PlainCheck)(held)) return false;
      count++;
    }
    return Object.keys(value).length === count && !Array.isArray(value);
  };
}
