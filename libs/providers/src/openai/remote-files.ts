import type { AnyDialect } from '../provider.ts';
import { imageUrlOf } from './message-text.ts';
import type { AnyRequest, ChatMessage, ChatRequest, ContentPart } from './types.ts';

/** The http(s) addresses of a request's files, and of its images, each once: what must be fetched for who takes them as `dialect` says. */
export function remoteFiles(
  { messages }: ChatRequest,
  dialect: Pick<AnyDialect, 'inlineImagesOnly' | 'fileAddressesOnly' | 'readsAddress'>,
  { isSame = false } = {},
): string[] {
  const wanted = { file: dialect.fileAddressesOnly !== true, image_url: dialect.inlineImagesOnly === true };
  const urls = new Set<string>();
  for (const { content } of Array.isArray(messages) ? messages : []) {
    if (!Array.isArray(content)) continue;
    for (const part of content) {
      const address = addressIn(part);
      if (address === undefined || !wanted[part.type as keyof typeof wanted]) continue;
      if (dialect.readsAddress?.(address, isSame) !== true) urls.add(address);
    }
  }
  return [...urls];
}

/** The request with those files as data URLs; one that was not fetched stays as it is, and the provider's dialect refuses it. */
export function withInlineFiles<Request extends AnyRequest>(request: Request, dataUrls: ReadonlyMap<string, string>): Request {
  if (!Array.isArray(request.messages)) return request;
  const inline = (part: ContentPart): ContentPart => {
    const dataUrl = dataUrls.get(addressIn(part) ?? '');
    if (dataUrl === undefined) return part;
    return part.type === 'file' ? { ...part, file: { ...part.file, file_data: dataUrl } } : { ...part, image_url: { url: dataUrl } };
  };
  const messages = (request.messages as ChatMessage[]).map((message) =>
    Array.isArray(message?.content) ? { ...message, content: message.content.map(inline) } : message,
  );
  return { ...request, messages };
}

function addressIn(part: ContentPart | null): string | undefined {
  if (part?.type !== 'image_url' && part?.type !== 'file') return undefined;
  const address = part.type === 'file' ? part.file?.file_data : imageUrlOf(part);
  return typeof address === 'string' && /^https?:\/\//i.test(address) ? address : undefined;
}
