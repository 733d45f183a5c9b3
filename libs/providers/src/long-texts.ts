import type { AnyRequest } from './openai/types.ts';
import { RequestRefused } from './upstream-error.ts';

/**
 * What was left out of a large JSON text before it was parsed: the long strings, all but their beginnings. In each a mark stands
 * instead, which no sender can know; whoever writes the text on puts the bytes back as they came, undecoded.
 */
export interface DetachedStrings {
  /** The bytes with everything in its place again, in pieces. */
  whole(json: Buffer): Buffer[];
  /** A text of the parsed JSON as it was sent, in slices. Throws: SyntaxError when it is none. */
  slices(text: string): Iterable<string>;
  /** The same undecoded: what was left out as it stands between the quotes of JSON, cut anywhere; the rest as texts. */
  raw(text: string): Iterable<string | Buffer>;
  /** The same in one. */
  filled(text: string): string;
  /** About how long it was, without decoding it. */
  lengthOf(text: string): number;
}

const written = new Set(['system', 'developer', 'user']);
/** Fields of content parts that are put into another dialect as they are. */
const carried = new Set(['text', 'image_url', 'input_audio', 'file']);

/**
 * A request, in the hub's words, as a translator needs it: with every text that he may have to understand. What people write, and
 * pictures, sounds and files, are put on as they are, so they may stay out. Throws: RequestRefused when a text is none.
 */
export function withTexts<Request extends AnyRequest>(request: Request, long: DetachedStrings): Request {
  try {
    return filledRequest(request, long);
  } catch (error) {
    throw error instanceof SyntaxError ? new RequestRefused('A text in it is no JSON string') : error;
  }
}

function filledRequest<Request extends AnyRequest>(request: Request, long: DetachedStrings): Request {
  const { messages, ...rest } = request;
  const filled = filledIn(rest, long) as Request;
  if (messages === undefined) return filled;
  return { ...filled, messages: Array.isArray(messages) ? messages.map((message) => messageWithTexts(message, long)) : messages };
}

function messageWithTexts(message: Record<string, unknown>, long: DetachedStrings): unknown {
  if (!written.has(String(message.role))) return filledIn(message, long);
  const { content, ...rest } = message;
  const filled = filledIn(rest, long) as Record<string, unknown>;
  if (content === undefined) return filled;
  if (!Array.isArray(content)) return { ...filled, content };
  return { ...filled, content: content.map((part) => filledIn(part, long, carried)) };
}

/** The same value with all texts in it filled, but those of some fields. */
export function filledIn(value: unknown, long: DetachedStrings, except?: ReadonlySet<string>): unknown {
  if (typeof value === 'string') return long.filled(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => filledIn(item, long));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, except?.has(name) ? item : filledIn(item, long)]));
}
