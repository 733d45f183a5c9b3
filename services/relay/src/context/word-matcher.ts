import { slices } from '@tollgate/runtime';

/** Whether a text holds one of the words, whatever the case. */
export interface WordMatcher {
  (text: string): boolean;
  /** The same of a text that comes in pieces, told one after the other: whether a word has come with this one. */
  inPieces(): (piece: string) => boolean;
  /** The length of the longest word: of texts that are looked at in slices so much has to be seen twice. */
  longest: number;
  /** No word has a sign that JSON may write as another one: in a text that is all ASCII they stand as they are. */
  isPlain: boolean;
}

const fewWords = 16;

/** Compiles a word list. It is done once a change of the list, never per call, and in slices: lists may be long. */
export async function wordMatcher(words: readonly string[]): Promise<WordMatcher> {
  const wanted = [...new Set(words.map((word) => word.toLowerCase()).filter((word) => word !== ''))];
  const longest = wanted.reduce((most, { length }) => Math.max(most, length), 0);
  const isPlain = wanted.every((word) => JSON.stringify(word) === `"${word}"` && !word.includes('/'));
  const root = await automaton(wanted);
  const inPieces = () => follow(root);
  const has = (text: string) => {
    if (wanted.length > fewWords) return inPieces()(text);
    const lower = text.toLowerCase();
    return wanted.some((word) => lower.includes(word));
  };
  return Object.assign(has, { inPieces, longest, isPlain });
}

/** A state of the Aho-Corasick automaton: every word is looked for in one pass, however many there are. */
interface State {
  next: Map<number, State>;
  /** Where to go on when no next letter fits: the longest end of what was read that begins a word. */
  fallback: State | undefined;
  isWord: boolean;
}

async function automaton(words: readonly string[]): Promise<State> {
  const pause = slices();
  const root: State = { next: new Map(), fallback: undefined, isWord: false };
  for (const word of words) {
    let state = root;
    for (let at = 0; at < word.length; at += 1) {
      const code = word.charCodeAt(at);
      let next = state.next.get(code);
      if (next === undefined) {
        next = { next: new Map(), fallback: undefined, isWord: false };
        state.next.set(code, next);
      }
      state = next;
    }
    state.isWord = true;
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  const queue: State[] = [root];
  for (const state of queue) {
    for (const [code, next] of state.next) {
      let fallback = state.fallback;
      while (fallback !== undefined && !fallback.next.has(code)) fallback = fallback.fallback;
      next.fallback = fallback?.next.get(code) ?? root;
      next.isWord ||= next.fallback.isWord;
      queue.push(next);
    }
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  return root;
}

function follow(root: State): (piece: string) => boolean {
  let state = root;
  return (piece) => {
    const text = piece.toLowerCase();
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      let next = state.next.get(code);
      while (next === undefined && state.fallback !== undefined) {
        state = state.fallback;
        next = state.next.get(code);
      }
      state = next ?? root;
      if (state.isWord) return true;
    }
    return false;
  };
}
