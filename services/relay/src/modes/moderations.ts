import { noUsage } from '@tollgate/contracts';
import { type ModerationRequest, textTokens } from '@tollgate/providers';
import type { ModeRules } from '../context/route.ts';

/** Texts that are judged. Providers state no bill of it: our own count of the text is charged. */
export const moderations: ModeRules<ModerationRequest> = {
  mode: 'moderations',
  eachText: ({ input }, visit) => eachText(input, visit),
  weigh({ input }, measure) {
    let tokens = 0;
    eachText(input, (text) => {
      tokens += measure?.tokens(text) ?? textTokens(text);
    });
    return { ...noUsage, textInput: Math.max(1, Math.ceil(tokens)) };
  },
  output: () => ({ maxTokens: 0, choices: 1 }),
  dialectOf: (provider) => provider.moderations,
};

function eachText(input: ModerationRequest['input'], visit: (text: string) => void): void {
  for (const item of Array.isArray(input) ? input : [input]) {
    if (typeof item === 'string') visit(item);
    else if (typeof item?.text === 'string') visit(item.text);
  }
}
