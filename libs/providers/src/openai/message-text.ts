import type { ChatMessage, ContentPart } from './types.ts';

/** The text of a message: the string, or all text parts joined without separator. */
export function messageText(message: ChatMessage): string {
  const content = contentOf(message);
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isObject(part) ? (textOf(part) ?? '') : '')).join('');
}

/** What all instructions say together, each of them, and each part of one, on lines of its own. */
export function instructionText(messages: readonly ChatMessage[]): string {
  const texts = messages.flatMap(messageParts).map(textOf);
  return texts.filter((text) => text !== undefined && text !== '').join('\n');
}

/** The parts of a message; a plain string is one text part, empty text none. What a model refused is what it said. */
export function messageParts(message: ChatMessage): ContentPart[] {
  const content = contentOf(message);
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return [];
  return content.filter(isObject).map((part) => (part.type === 'refusal' ? { type: 'text', text: textOf(part) ?? '' } : part));
}

function contentOf({ content, refusal }: ChatMessage): ChatMessage['content'] {
  return content ?? (typeof refusal === 'string' ? refusal : content);
}

function textOf({ type, text, refusal }: ContentPart): string | undefined {
  const said = type === 'refusal' ? refusal : text;
  return (type === 'text' || type === 'refusal') && typeof said === 'string' ? said : undefined;
}

function isObject(part: ContentPart | null): part is ContentPart {
  return typeof part === 'object' && part !== null;
}

/** An image part's address, whether it stands in an object or bare; '' when the part has none. */
export function imageUrlOf(part: ContentPart): string {
  const image = part.image_url;
  return (typeof image === 'string' ? image : image?.url) ?? '';
}

/** The output limit that a request states, under its old or its new name. */
export function outputLimitOf(request: { max_tokens?: number | null; max_completion_tokens?: number | null }): number | undefined {
  return request.max_completion_tokens ?? request.max_tokens ?? undefined;
}
