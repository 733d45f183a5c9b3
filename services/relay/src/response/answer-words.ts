import type { JsonObject } from '@tollgate/providers';
import type { WordMatcher } from '../request/word-matcher.ts';

/** Told the chunks of a streamed answer one after the other, in the hub's words: whether a sensitive word has come, be it in pieces. */
export function watchWords(hasWord: WordMatcher): (chunks: readonly JsonObject[]) => boolean {
  const texts = new Map<string, (piece: string) => boolean>();
  const isIn = (key: string, piece: string): boolean => {
    let has = texts.get(key);
    if (has === undefined) {
      has = hasWord.inPieces();
      texts.set(key, has);
    }
    return has(piece);
  };
  return (chunks) => {
    for (const { choices } of chunks) if (Array.isArray(choices) && anyText(choices as JsonObject[], isIn)) return true;
    return false;
  };
}

/** The same of a whole answer. */
export function hasWordIn({ choices }: JsonObject, hasWord: WordMatcher): boolean {
  return Array.isArray(choices) && anyText(choices as JsonObject[], (_key, text) => hasWord(text));
}

/** One text of the answer; that of the first choice, of which there is more than one seldom, needs no text made for it. */
function keyOf({ index }: JsonObject, part: string): string {
  return typeof index === 'number' && index !== 0 ? `${index}.${part}` : part;
}

type IsWanted = (key: string, text: string) => boolean;

/** Whether one of the texts of the choices is one that is looked for; `key` is the same for the pieces of one text. */
function anyText(choices: readonly (JsonObject | null)[], isWanted: IsWanted): boolean {
  for (const choice of choices) {
    if (typeof choice !== 'object' || choice === null) continue;
    const piece = (choice.delta ?? choice.message ?? choice) as JsonObject;
    // By their names, one by one: a loop over names is several times as dear, and this is done with each frame.
    const has =
      says(choice, 'content', piece.content, isWanted) ||
      says(choice, 'text', piece.text, isWanted) ||
      says(choice, 'reasoning_content', piece.reasoning_content, isWanted) ||
      says(choice, 'reasoning', piece.reasoning, isWanted) ||
      says(choice, 'refusal', piece.refusal, isWanted);
    if (has) return true;
  }
  return false;
}

function says(choice: JsonObject, part: string, said: unknown, isWanted: IsWanted): boolean {
  if (typeof said === 'string') return said !== '' && isWanted(keyOf(choice, part), said);
  if (!Array.isArray(said)) return false;
  return said.some((each: JsonObject | null) => typeof each?.text === 'string' && isWanted(keyOf(choice, part), each.text));
}
