import { strictSchemaRules } from '@tollgate/contracts';
import { boundsInWords } from '../bounds-in-words.ts';
import { objectSchema } from '../object-schema.ts';
import { isObject } from '../objects.ts';
import type { JsonObject } from '../provider.ts';

const refused: ReadonlySet<string> = new Set(strictSchemaRules.xai.refused);

function taken(schema: JsonObject): JsonObject {
  return boundsInWords(schema, (keyword) => refused.has(keyword)) as JsonObject;
}

/** Tools whose schemas xAI takes: objects, without the bounds that it refuses. undefined where all may stay as they are. */
export function xaiTools(tools: unknown): JsonObject[] | undefined {
  if (!Array.isArray(tools)) return undefined;
  let isChanged = false;
  const all = (tools as JsonObject[]).map((tool) => {
    const holder = isObject(tool?.function) ? tool.function : tool;
    if (!isObject(holder?.parameters)) return tool;
    const parameters = taken(objectSchema(holder.parameters));
    if (JSON.stringify(parameters) === JSON.stringify(holder.parameters)) return tool;
    isChanged = true;
    return holder === tool ? { ...tool, parameters } : { ...tool, function: { ...holder, parameters } };
  });
  return isChanged ? all : undefined;
}

/** The same for a response format of chat completions (`json_schema`) or Responses. */
export function xaiFormat(format: unknown): JsonObject | undefined {
  if (!isObject(format) || format.type !== 'json_schema') return undefined;
  const holder = isObject(format.json_schema) ? format.json_schema : format;
  if (!isObject(holder.schema)) return undefined;
  const schema = taken(holder.schema);
  if (JSON.stringify(schema) === JSON.stringify(holder.schema)) return undefined;
  return holder === format ? { ...format, schema } : { ...format, json_schema: { ...holder, schema } };
}
