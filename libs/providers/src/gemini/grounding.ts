import { z } from 'zod';
import { type CitedPage, urlCitation } from '../openai/annotations.ts';
import type { JsonObject } from '../provider.ts';

const page = z.object({ uri: z.string().nullish(), title: z.string().nullish(), text: z.string().nullish() });
const segment = z.object({ startIndex: z.number().nullish(), endIndex: z.number().nullish() });
const recited = z.array(segment.extend({ uri: z.string().nullish(), title: z.string().nullish() })).nullish();
const support = z.object({ segment: segment.nullish(), groundingChunkIndices: z.array(z.number()).nullish() });

/** What a candidate rests on: pages that were found, and which of its words do; and what it has by heart. Nothing where it cannot be read. */
export const grounding = {
  groundingMetadata: z
    .object({
      groundingChunks: z.array(z.object({ web: page.nullish(), retrievedContext: page.nullish() })).nullish(),
      groundingSupports: z.array(support).nullish(),
    })
    .nullish()
    .catch(undefined),
  citationMetadata: z.object({ citations: recited, citationSources: recited }).nullish().catch(undefined),
};
export type Grounding = z.infer<z.ZodObject<typeof grounding>>;

/** More are no sources but noise. */
const mostNotes = 1_000;
/** In bytes of UTF-8, which Google counts. */
type Span = readonly [start: number, end: number];
const behindAll: Span = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];

/**
 * The same as notes on `text`: behind all of it for pages that no words are said to rest on.
 * Source: https://ai.google.dev/api/generate-content#GroundingMetadata
 */
export function notesOn(text: string, { groundingMetadata: found, citationMetadata: known }: Grounding): JsonObject[] {
  const pages = (found?.groundingChunks ?? []).map(({ web, retrievedContext }) => pageOf(web ?? retrievedContext));
  const notes: { page: CitedPage | undefined; span: Span }[] = [];
  const cited = new Set<number>();
  for (const { segment: words, groundingChunkIndices: indices } of found?.groundingSupports ?? []) {
    for (const index of indices ?? []) {
      if (notes.length < mostNotes) notes.push({ page: pages[index], span: spanOf(words) });
      cited.add(index);
    }
  }
  for (const [index, one] of pages.entries()) if (!cited.has(index)) notes.push({ page: one, span: behindAll });
  for (const one of known?.citations ?? known?.citationSources ?? []) notes.push({ page: pageOf(one), span: spanOf(one) });
  const told = notes.slice(0, mostNotes);
  const places = placesOf(
    text,
    told.flatMap(({ span }) => span),
  );
  const placed = ([start, end]: Span) => [places.get(start) ?? text.length, places.get(end) ?? text.length] as const;
  return told.flatMap(({ page: one, span }) => (one === undefined ? [] : [urlCitation(one, placed(span))]));
}

/** Longer answers are not kept: what is said of words beyond is told behind them. */
const mostKept = 1 << 20;

/** The words of a stream's candidates, until it is said what they rest on: with their end, or again and again. */
export class GroundedWords {
  readonly #words = new Map<number, string>();
  readonly #sources = new Map<number, { said: Grounding; bytes: number }>();
  keptBytes = 0;

  add(index: number, text: string, { groundingMetadata, citationMetadata }: Grounding): void {
    const before = this.#words.get(index) ?? '';
    if (text !== '' && before.length < mostKept) {
      this.#words.set(index, before + text);
      this.keptBytes += text.length;
    }
    if (!groundingMetadata && !citationMetadata) return;
    const known = this.#sources.get(index);
    const said = {
      groundingMetadata: groundingMetadata ?? known?.said.groundingMetadata,
      citationMetadata: citationMetadata ?? known?.said.citationMetadata,
    };
    const bytes = JSON.stringify(said).length;
    this.#sources.set(index, { said, bytes });
    this.keptBytes += bytes - (known?.bytes ?? 0);
  }

  notes(index: number): JsonObject[] {
    const known = this.#sources.get(index);
    return known === undefined ? [] : notesOn(this.#words.get(index) ?? '', known.said);
  }
}

function pageOf(one: z.infer<typeof page> | null | undefined): CitedPage | undefined {
  return one?.uri ? { url: one.uri, title: one.title, content: one.text } : undefined;
}

/** Where nothing is said of its beginning it is that of the text. */
function spanOf(words: z.infer<typeof segment> | null | undefined): Span {
  return words ? [words.startIndex ?? 0, words.endIndex ?? behindAll[1]] : behindAll;
}

/** Which characters stand at these bytes; all at once, so that the text is gone through but once. */
function placesOf(text: string, offsets: readonly number[]): Map<number, number> {
  const places = new Map<number, number>();
  let bytes = 0;
  let at = 0;
  for (const offset of [...new Set(offsets)].sort((one, other) => one - other)) {
    while (at < text.length && bytes < offset) {
      const code = text.codePointAt(at) as number;
      bytes += bytesOf(code);
      at += code > 0xffff ? 2 : 1;
    }
    places.set(offset, at);
  }
  return places;
}

function bytesOf(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code > 0xffff ? 4 : 3;
}
