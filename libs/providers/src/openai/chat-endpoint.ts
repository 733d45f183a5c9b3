import { factsOf } from '@tollgate/contracts/catalog';
import type { ChatDialect, Provider } from '../provider.ts';
import { searchOf, type WithWebSearch } from '../web-search.ts';
import type { ChatRequest } from './types.ts';

/**
 * How a provider is sent a conversation: by Responses where the model catalog says that the model answers there alone, or takes tools there
 * alone, and the provider has it; else by its chat API. `model` is the upstream name.
 */
export function chatDialectFor(
  { chat, responses }: Pick<Provider, 'chat' | 'responses'>,
  { model, request }: { model: string; request: HeldTools & WithWebSearch },
): ChatDialect | undefined {
  if (responses === undefined || chat?.speaks !== 'openai') return chat;
  const { endpoint, toolsEndpoint, hosted } = factsOf(model)?.rules ?? {};
  if (searchOf(request) !== undefined && hosted?.search !== undefined && hosted.search.field === undefined && endpoint !== 'chat')
    return responses;
  return endpoint === 'responses' || (toolsEndpoint === 'responses' && hasTools(request)) ? responses : chat;
}

type HeldTools = Pick<ChatRequest, 'tools'> & { functions?: unknown };

/** Whether a request has tools, in the form of today or in the legacy one. */
export function hasTools({ tools, functions }: HeldTools): boolean {
  return (Array.isArray(tools) && tools.length > 0) || (Array.isArray(functions) && functions.length > 0);
}
