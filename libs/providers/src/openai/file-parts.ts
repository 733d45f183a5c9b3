import { objectsIn } from '../objects.ts';
import { RequestRefused } from '../upstream-error.ts';
import type { ChatMessage, ChatRequest, ContentPart } from './types.ts';

/** For who takes no documents in a chat, only what he keeps himself and knows by its id. Throws: RequestRefused. */
export function refuseFiles({ messages }: ChatRequest): void {
  if (filesIn(messages).length > 0)
    throw new RequestRefused('This model takes no files in a chat: send what they say as text, or as images', 'messages');
}

/** The files of a conversation that stand in it, by their bytes or their address. */
function filesIn(messages: unknown): ContentPart[] {
  return objectsIn(messages).flatMap(({ content }) =>
    objectsIn(content)
      .map((part) => part as unknown as ContentPart)
      .filter(isFile),
  );
}

function isFile({ type, file }: ContentPart): boolean {
  return type === 'file' && typeof file?.file_data === 'string';
}

/** The messages with each file said otherwise; undefined where they hold none. */
export function withFilesAs(
  messages: ChatMessage[],
  toPart: (file: NonNullable<ContentPart['file']>) => ContentPart,
): ChatMessage[] | undefined {
  if (filesIn(messages).length === 0) return undefined;
  const told = (part: ContentPart) => (part !== null && isFile(part) ? toPart(part.file ?? {}) : part);
  return messages.map((message) => (Array.isArray(message?.content) ? { ...message, content: message.content.map(told) } : message));
}
