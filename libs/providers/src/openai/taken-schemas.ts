import type { ModelRules } from '@tollgate/contracts/catalog';
import { isObject } from '../objects.ts';
import type { JsonObject } from '../provider.ts';
import { loosened } from './strict-schema.ts';
import { xaiSchema } from './xai-schema.ts';

/** What changes beside or in the schema under `field` of a tool or a response format; undefined for nothing. */
type Change = (holder: JsonObject, field: 'parameters' | 'schema') => JsonObject | undefined;

const changes: Partial<Record<NonNullable<ModelRules['schemaDialect']>, Change>> = { openai: loosened, xai: xaiSchema };

/** The tools and the response format of a request with schemas that a provider takes; each undefined where it may stay as it is. */
export function takenSchemas(
  dialect: ModelRules['schemaDialect'],
  tools: unknown,
  format: unknown,
): { tools?: JsonObject[] | undefined; format?: JsonObject | undefined } {
  const change = dialect && changes[dialect];
  return change === undefined ? {} : { tools: changedTools(tools, change), format: changedFormat(format, change) };
}

/** Tools of chat completions, with a `function`, or of Responses. */
function changedTools(tools: unknown, change: Change): JsonObject[] | undefined {
  if (!Array.isArray(tools)) return undefined;
  let isChanged = false;
  const all = (tools as JsonObject[]).map((tool) => {
    if (!isObject(tool)) return tool;
    const holder = isObject(tool.function) ? tool.function : tool;
    const changed = change(holder, 'parameters');
    if (changed === undefined) return tool;
    isChanged = true;
    return holder === tool ? { ...tool, ...changed } : { ...tool, function: { ...holder, ...changed } };
  });
  return isChanged ? all : undefined;
}

/** A response format of chat completions, with a `json_schema`, or of Responses. */
function changedFormat(format: unknown, change: Change): JsonObject | undefined {
  if (!isObject(format) || format.type !== 'json_schema') return undefined;
  const holder = isObject(format.json_schema) ? format.json_schema : format;
  const changed = change(holder, 'schema');
  if (changed === undefined) return undefined;
  return holder === format ? { ...format, ...changed } : { ...format, json_schema: { ...holder, ...changed } };
}
