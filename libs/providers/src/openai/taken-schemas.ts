import type { ModelRules } from '@tollgate/contracts/catalog';
import type { JsonObject } from '../provider.ts';
import { loosenedFormat, loosenedTools } from './strict-schema.ts';
import { xaiFormat, xaiTools } from './xai-schema.ts';

/** The tools and the response format of a request with schemas that a provider takes; each undefined where it may stay as it is. */
export function takenSchemas(
  dialect: ModelRules['schemaDialect'],
  tools: unknown,
  format: unknown,
): { tools?: JsonObject[] | undefined; format?: JsonObject | undefined } {
  if (dialect === 'openai') return { tools: loosenedTools(tools), format: loosenedFormat(format) };
  return dialect === 'xai' ? { tools: xaiTools(tools), format: xaiFormat(format) } : {};
}
