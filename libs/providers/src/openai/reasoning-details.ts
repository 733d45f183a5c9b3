import { isObject, objectsIn } from '../objects.ts';
import type { JsonObject } from '../provider.ts';
import type { ChatRequest } from './types.ts';

/**
 * What OpenRouter tells of thinking beside its text: pieces of it, with what its model's maker has signed or sealed, which wants to come
 * back as it is. Source: https://openrouter.ai/docs/guides/best-practices/reasoning-tokens
 */
export class ReasoningDetails {
  #details: JsonObject[] = [];
  keptBytes = 0;

  /** How much more is kept with these. */
  add(details: unknown): number {
    const before = this.keptBytes;
    for (const detail of objectsIn(details)) {
      const last = this.#details.at(-1);
      if (last !== undefined && goesOn(last, detail)) joinInto(last, detail);
      else this.#details.push({ ...detail });
      for (const value of Object.values(detail)) this.keptBytes += typeof value === 'string' ? value.length : 8;
    }
    return this.keptBytes - before;
  }

  /** What came since it was last taken, as a message carries it; undefined where nothing of it is signed or sealed: nobody needs it then. */
  take(): JsonObject | undefined {
    const details = this.#details;
    if (!details.some(({ signature, data }) => isText(signature) || isText(data))) return undefined;
    this.#details = [];
    this.keptBytes = 0;
    return { openrouter: { reasoning_details: details } };
  }
}

const pieces = new Map<unknown, string>([
  ['reasoning.text', 'text'],
  ['reasoning.summary', 'summary'],
]);

function goesOn(last: JsonObject, { type, index }: JsonObject): boolean {
  return last.type === type && last.index === index && pieces.has(type) && !isText(last.signature);
}

function joinInto(last: JsonObject, detail: JsonObject): void {
  const field = pieces.get(detail.type) ?? '';
  const text = `${isText(last[field]) ? last[field] : ''}${isText(detail[field]) ? detail[field] : ''}`;
  for (const [name, value] of Object.entries(detail)) if (value !== null && value !== undefined) last[name] = value;
  last[field] = text;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** What a message carries of them. */
export function carriedDetails(extra: unknown): JsonObject[] {
  const carried = isObject(extra) ? extra.openrouter : undefined;
  return isObject(carried) ? objectsIn(carried.reasoning_details) : [];
}

/** The request with what its earlier turns carry under OpenRouter's own name. */
export function withDetails(request: ChatRequest): ChatRequest {
  if (!Array.isArray(request.messages)) return request;
  const messages = request.messages.map((message) => {
    const details = carriedDetails(message?.extra_content);
    return details.length > 0 ? { ...message, reasoning_details: details } : message;
  });
  return { ...request, messages };
}
