import { mongo } from 'mongoose';

const { EJSON } = mongo.BSON;

/** Stored fields as JSON that keeps dates (https://github.com/mongodb/specifications/blob/master/source/extended-json/extended-json.md). */
export function packed(fields: object): string {
  return EJSON.stringify(fields, { relaxed: true });
}

/** What `packed` made; '' is no field. Throws where the text is no JSON object. */
export function unpacked(text: string): Record<string, unknown> {
  if (text === '') return {};
  const fields: unknown = EJSON.parse(text, { relaxed: true });
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) throw new Error('not a JSON object');
  return fields as Record<string, unknown>;
}
