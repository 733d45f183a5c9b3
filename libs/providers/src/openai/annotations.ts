import type { JsonObject } from '../provider.ts';

/** A page that words rest on, and what stands there, where that is told. */
export interface CitedPage {
  url: string;
  title?: string | null | undefined;
  content?: string | null | undefined;
}

/**
 * A page as a note on the words from `start` to `end`, in characters. Sources: https://platform.openai.com/docs/guides/tools-web-search,
 * https://openrouter.ai/docs/features/web-search (`content`)
 */
export function urlCitation({ url, title, content }: CitedPage, [start, end]: readonly [start: number, end: number]): JsonObject {
  const cited = { url, title: title || url, ...(content && { content }), start_index: start, end_index: end };
  return { type: 'url_citation', url_citation: cited };
}
