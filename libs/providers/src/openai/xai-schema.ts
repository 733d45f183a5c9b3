import { strictSchemaRules } from '@tollgate/contracts';
import { boundsInWords } from '../bounds-in-words.ts';
import { objectSchema } from '../object-schema.ts';
import { isObject } from '../objects.ts';
import type { JsonObject } from '../provider.ts';

const refused: ReadonlySet<string> = new Set(strictSchemaRules.xai.refused);

/** The schema of a tool or a response format as xAI takes it: without the bounds that it refuses, and of a tool an object. undefined: it may stay as it is. */
export function xaiSchema(holder: JsonObject, field: 'parameters' | 'schema'): JsonObject | undefined {
  const stated = holder[field];
  if (!isObject(stated)) return undefined;
  const taken = boundsInWords(field === 'parameters' ? objectSchema(stated) : stated, (keyword) => refused.has(keyword));
  return JSON.stringify(taken) === JSON.stringify(stated) ? undefined : { [field]: taken };
}
