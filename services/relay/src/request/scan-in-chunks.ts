import { isAscii } from 'node:buffer';
import { type AnyRequest, type DetachedStrings, type TextMeasure, TextScale } from '@tollgate/providers';
import { AppError, slices } from '@tollgate/runtime';
import type { ModeRules } from '../context/route.ts';
import type { WordMatcher } from '../context/word-matcher.ts';
import { refused } from './json-scan.ts';

interface Look {
  rules: ModeRules;
  long: DetachedStrings;
  hasSensitiveWord: WordMatcher | undefined;
}

/**
 * Does in slices what needs every text of a large request: looks for sensitive words, and weighs. What comes back knows what each
 * text weighs, and must be asked by `weigh` and then by `output`, once each.
 * Throws: AppError `sensitive_words_detected`, `invalid_json`.
 */
export async function lookInSlices(request: AnyRequest, { rules, long, hasSensitiveWord }: Look): Promise<TextMeasure> {
  const pause = slices();
  const length = (text: string) => long.lengthOf(text);
  try {
    if (hasSensitiveWord !== undefined) await refuseSensitive(request, { rules, long, hasSensitiveWord });
    const weighed: string[] = [];
    const asked: TextMeasure = {
      length,
      tokens(text) {
        weighed.push(text);
        return 0;
      },
    };
    rules.weigh(request, asked);
    rules.output(request, asked);
    const counts: number[] = [];
    for (const text of weighed) {
      const scale = new TextScale();
      for (const piece of long.raw(text)) {
        if (typeof piece === 'string') scale.addText(piece);
        else scale.addJson(piece);
        const turn = pause();
        if (turn !== undefined) await turn;
      }
      counts.push(scale.tokens());
    }
    let at = 0;
    return {
      length,
      tokens() {
        at += 1;
        return counts[at - 1] ?? 0;
      },
    };
  } catch (error) {
    throw error instanceof SyntaxError ? refused('a text in it is wrong') : error;
  }
}

/**
 * Whether a text that is not decoded holds something that looks like a word; words that no escape is needed for stand there as they are.
 * What is not plainly ASCII is left to who decodes it.
 */
async function mayHoldWord(
  text: string,
  { long, hasSensitiveWord, pause }: { long: DetachedStrings; hasSensitiveWord: WordMatcher; pause: ReturnType<typeof slices> },
): Promise<boolean> {
  let before = '';
  for (const piece of long.raw(text)) {
    if (typeof piece !== 'string' && !isAscii(piece)) return true;
    const seen = before + (typeof piece === 'string' ? piece : piece.toString('latin1'));
    if (seen.includes('\\u') || hasSensitiveWord(seen)) return true;
    before = seen.slice(-2 * hasSensitiveWord.longest);
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  return false;
}

async function refuseSensitive(
  request: AnyRequest,
  { rules, long, hasSensitiveWord }: Look & { hasSensitiveWord: WordMatcher },
): Promise<void> {
  const pause = slices();
  const texts: string[] = [];
  rules.eachText?.(request, (text) => void texts.push(text));
  for (const text of texts) {
    if (hasSensitiveWord.isPlain && !(await mayHoldWord(text, { long, hasSensitiveWord, pause }))) continue;
    let before = ''; // a word may begin in one slice and end in the next
    for (const slice of long.slices(text)) {
      const seen = before + slice;
      if (hasSensitiveWord(seen)) throw new AppError('sensitive_words_detected');
      before = seen.slice(-2 * hasSensitiveWord.longest);
      const turn = pause();
      if (turn !== undefined) await turn;
    }
  }
}
