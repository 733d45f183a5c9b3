import { type JsonObject, objectsIn } from '@tollgate/providers';

/** A page that an answer rests on. */
export interface Source {
  url: string;
  title: string | undefined;
  /** What stands there, where that is told. */
  text: string;
}

const none: readonly Source[] = [];

/**
 * What a message, or a piece of one, cites, each page once for all words that rest on it. Sources: https://platform.openai.com/docs/guides/tools-web-search (`url_citation`),
 * https://openrouter.ai/docs/features/web-search (which tells their content, too)
 */
export function citedIn({ annotations }: JsonObject): readonly Source[] {
  if (!annotations) return none;
  const sources = objectsIn(annotations).flatMap((note) =>
    note.type === 'url_citation' ? sourceOf(objectsIn([note.url_citation])[0] ?? note) : [],
  );
  return [...new Map(sources.map((source) => [`${source.url} ${source.text}`, source])).values()];
}

/**
 * What was found for an answer and is told beside it, the same in each piece of a stream: his words name it by number.
 * Source: https://docs.perplexity.ai/api-reference/chat-completions-post
 */
export function foundFor({ search_results: results, citations }: JsonObject): Source[] {
  const found = objectsIn(results).flatMap(sourceOf);
  if (found.length > 0 || !Array.isArray(citations)) return found;
  return citations.flatMap((url: unknown) => sourceOf({ url }));
}

/** The same as notes on the words that name them by number: behind all of them where none does. */
export function foundNotes(answer: JsonObject, words: string): JsonObject[] {
  return foundFor(answer).map(({ url, title = url }, at) => {
    const mark = `[${at + 1}]`;
    const found = words.indexOf(mark);
    const [start, end] = found < 0 ? [words.length, words.length] : [found, found + mark.length];
    return { type: 'url_citation', url_citation: { url, title, start_index: start, end_index: end } };
  });
}

function sourceOf({ url, title, content, snippet }: JsonObject): Source[] {
  if (typeof url !== 'string') return [];
  const text = [content, snippet].find((one) => typeof one === 'string') as string | undefined;
  return [{ url, title: typeof title === 'string' ? title : undefined, text: text ?? '' }];
}
