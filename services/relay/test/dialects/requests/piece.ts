import type { JsonObject } from '@tollgate/providers';

/** One thing that callers say, in the words of each dialect that has some for it. What is left out of a body is a plain question. */
export interface Piece {
  says: string;
  openai?: JsonObject;
  anthropic?: JsonObject;
  gemini?: JsonObject;
  responses?: JsonObject;
}

export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const pdf = 'JVBERi0xLjQK';
export const schema = {
  type: 'object',
  properties: { city: { type: 'string', description: 'which' }, days: { type: 'array', items: { type: 'integer' } } },
  required: ['city', 'days'],
  additionalProperties: false,
};
export const { additionalProperties: _closed, ...open } = schema;
export const others = ['weather', 'time', 'map'];

export const openaiTools = (names: readonly string[]) => names.map((name) => ({ type: 'function', function: { name, parameters: open } }));
export const anthropicTools = (names: readonly string[]) => names.map((name) => ({ name, input_schema: open }));
export const geminiTools = (names: readonly string[]) => [{ functionDeclarations: names.map((name) => ({ name, parameters: open })) }];
export const responsesTools = (names: readonly string[]) => names.map((name) => ({ type: 'function', name, parameters: open }));
