import { imageUrlOf } from './message-text.ts';
import type { ChatRequest, ContentPart } from './types.ts';

/** The http(s) addresses of a request's images, each once: what must be fetched for a provider that takes no addresses. */
export function remoteImages(request: ChatRequest): string[] {
  const urls = new Set<string>();
  for (const { content } of request.messages) {
    if (!Array.isArray(content)) continue;
    for (const part of content) if (isRemote(part)) urls.add(imageUrlOf(part));
  }
  return [...urls];
}

/** The request with those images as data URLs; one that was not fetched stays as it is, and the provider's dialect refuses it. */
export function withInlineImages(request: ChatRequest, dataUrls: ReadonlyMap<string, string>): ChatRequest {
  const inline = (part: ContentPart): ContentPart => {
    const dataUrl = isRemote(part) ? dataUrls.get(imageUrlOf(part)) : undefined;
    return dataUrl === undefined ? part : { ...part, image_url: { url: dataUrl } };
  };
  return {
    ...request,
    messages: request.messages.map((message) =>
      Array.isArray(message.content) ? { ...message, content: message.content.map(inline) } : message,
    ),
  };
}

function isRemote(part: ContentPart): boolean {
  return part?.type === 'image_url' && /^https?:\/\//i.test(imageUrlOf(part));
}
