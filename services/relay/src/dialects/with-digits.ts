import { hasLostDigits, type JsonObject, parseExact } from '@tollgate/providers';
import type { SentRequest } from '../pipeline/route.ts';

/** A request, parsed again with all digits of its integers where arguments of calls, or their results, have lost some: they are told on as text. */
export function withDigits(sent: SentRequest, argumentsIn: (json: JsonObject) => unknown[]): JsonObject {
  if (argumentsIn(sent.json).some(hasLostDigits)) sent.json = parseExact(sent.bytes.toString('utf8')) as JsonObject;
  return sent.json;
}
