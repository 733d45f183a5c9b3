import { noUsage } from '@tollgate/contracts';
import {
  type ChatRequest,
  type CompletionRequest,
  chatDialectFor,
  completionsByChat,
  type EmbeddingsRequest,
  estimateChat,
  estimateEmbeddings,
  estimateInput,
  type ModerationRequest,
  predictedTokens,
  textTokens,
} from '@tollgate/providers';
import type { ModeRules } from '../context/route.ts';

/** Conversations. */
export const chat: ModeRules<ChatRequest> = {
  mode: 'chat',
  hasExtras: true,
  eachText: eachChatText,
  weigh: estimateChat,
  output: (request, measure) => ({
    maxTokens: longestAsked(request),
    choices: request.n ?? 1,
    besides: predictedTokens(request, measure),
    isSpoken: Array.isArray(request.modalities) && request.modalities.includes('audio'),
  }),
  dialectOf: (provider, call) => (call === undefined ? provider.chat : chatDialectFor(provider, call)),
};

/** Visits every text of the conversation. */
function eachChatText(request: ChatRequest, visit: (text: string) => void): void {
  for (const { content } of request.messages) {
    if (typeof content === 'string') visit(content);
    else for (const part of content ?? []) if (typeof part.text === 'string') visit(part.text);
  }
}

/** The larger of the two limits: which of them counts is the provider's to say. */
function longestAsked({ max_completion_tokens: limit, max_tokens: oldLimit }: ChatRequest): number | undefined {
  if (typeof limit !== 'number' || typeof oldLimit !== 'number') return limit ?? oldLimit ?? undefined;
  return Math.max(limit, oldLimit);
}

/** Texts that go on: every prompt of a list gets `n` answers, the best of `best_of`. */
export const completions: ModeRules<CompletionRequest> = {
  mode: 'completions',
  hasExtras: true,
  eachText: (request, visit) => eachInputText(request.prompt, visit),
  weigh: (request, measure) => estimateInput(request.prompt, measure),
  output: (request) => ({
    maxTokens: request.max_tokens ?? undefined,
    choices: Math.max(request.n ?? 1, typeof request.best_of === 'number' ? request.best_of : 1) * inputCount(request.prompt),
  }),
  dialectOf(provider, call) {
    const fillIn = typeof call?.request.suffix === 'string' ? provider.fillIn : undefined;
    return fillIn ?? provider.completions ?? (provider.chat && completionsByChat(provider.chat));
  },
};

/** Visits every text of an input; inputs of token numbers have none. */
function eachInputText(input: unknown, visit: (text: string) => void): void {
  if (typeof input === 'string') visit(input);
  else if (Array.isArray(input)) for (const item of input) if (typeof item === 'string') visit(item);
}

/** How many inputs one request holds: each gets an answer of its own. */
function inputCount(input: CompletionRequest['prompt']): number {
  return Array.isArray(input) && typeof input[0] !== 'number' ? input.length : 1;
}

/** Vectors of texts. There is no output to pay for. */
export const embeddings: ModeRules<EmbeddingsRequest> = {
  mode: 'embeddings',
  hasExtras: true,
  weigh: (request, measure) => estimateEmbeddings(request, measure),
  output: () => ({ maxTokens: 0, choices: 1 }),
  dialectOf: (provider) => provider.embeddings,
};

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
