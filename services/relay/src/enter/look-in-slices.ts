import { type AnyRequest, type LongTexts, type TextMeasure, textTokens } from '@tollgate/providers';
import { AppError, slices } from '@tollgate/runtime';
import type { ModeRules } from '../call/route.ts';
import { refused } from './json-scan.ts';
import type { WordMatcher } from './word-matcher.ts';

interface Look {
  rules: ModeRules;
  long: LongTexts;
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
      let tokens = 0;
      for (const slice of long.slices(text)) {
        tokens += textTokens(slice);
        const turn = pause();
        if (turn !== undefined) await turn;
      }
      counts.push(tokens);
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

async function refuseSensitive(
  request: AnyRequest,
  { rules, long, hasSensitiveWord }: Look & { hasSensitiveWord: WordMatcher },
): Promise<void> {
  const pause = slices();
  const texts: string[] = [];
  rules.eachText?.(request, (text) => void texts.push(text));
  for (const text of texts) {
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
