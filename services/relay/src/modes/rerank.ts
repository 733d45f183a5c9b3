import { noUsage } from '@tollgate/contracts';
import { type RerankRequest, textTokens } from '@tollgate/providers';
import type { ModeRules } from '../context/route.ts';
import { statedOr } from '../context/terms.ts';

/** Documents put in order by how well they answer a question: paid by tokens, or by the searches that a provider counts. */
export const rerank: ModeRules<RerankRequest> = {
  mode: 'rerank',
  weigh({ query, documents }, measure) {
    const tokensOf = (text: string) => measure?.tokens(text) ?? textTokens(text);
    const asked = tokensOf(query);
    let tokens = 0;
    // Which fields of a document a provider reads is the caller's choice (`rank_fields`), so every text in it counts.
    for (const document of documents) tokens += asked + tokensIn(document, tokensOf);
    return { ...noUsage, textInput: Math.max(1, Math.ceil(tokens)) };
  },
  output: () => ({ maxTokens: 0, choices: 1 }),
  terms({ request, price, measure }) {
    const estimate = rerank.weigh(request, measure);
    if (price.ordinary.pieces?.searches === undefined) {
      return {
        price,
        estimate,
        most: {},
        bill: (stated) =>
          statedOr(stated?.trusted === true && stated.usage.textInput === 0 ? undefined : withoutSearches(stated), () => estimate),
      };
    }
    const searches = Math.ceil(request.documents.length / documentsPerSearch);
    const own = { ...noUsage, searches };
    return {
      price,
      estimate: own,
      most: { searches: searches * 2 },
      bill: (stated) => statedOr(searchesIn(stated, searches * 2), () => own),
    };
  },
  dialectOf: (provider) => provider.rerank,
};

/** The tokens of all texts of a value; other values weigh what they do in JSON. */
function tokensIn(value: unknown, tokensOf: (text: string) => number): number {
  if (typeof value === 'string') return tokensOf(value);
  if (typeof value !== 'object' || value === null) return textTokens(JSON.stringify(value ?? null));
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + tokensIn(one, tokensOf), 0);
  return Object.entries(value).reduce((sum, [name, one]) => sum + (name === 'text' ? 0 : textTokens(name)) + tokensIn(one, tokensOf), 0);
}

/** Source: https://docs.cohere.com/docs/rerank-overview */
const documentsPerSearch = 100;

type Stated = Parameters<ReturnType<NonNullable<typeof rerank.terms>>['bill']>[0];

function withoutSearches(stated: Stated): Stated {
  if (stated?.trusted !== true) return stated;
  const { searches: _searches, ...usage } = stated.usage;
  return { trusted: true, usage };
}

/** More than could be meant is not believed. */
function searchesIn(stated: Stated, most: number): Stated {
  if (stated?.trusted !== true || !stated.usage.searches) return undefined;
  const { searches } = stated.usage;
  return searches > most ? { trusted: false, reason: `${searches} searches` } : { trusted: true, usage: { ...noUsage, searches } };
}
