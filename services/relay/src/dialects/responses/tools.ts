import type { ChatRequest, Tool } from '@tollgate/providers';
import type { SentRequest } from '../../pipeline/route.ts';
import { isObject, worded, wrong } from '../fields.ts';
import type { Unsaid } from '../unsupported-features.ts';
import type { CallersTools, PlacedTool } from './callers-tools.ts';

interface Listing {
  callers: CallersTools;
  unsaid: Unsaid;
}

/**
 * Tools and which of them is to be called. Those that run at a provider keep their own shape; where they stand beside the caller's own
 * and nothing has to be called, they are no more than an offer. Throws: AppError `invalid_request`.
 */
export function toolsOf(sent: SentRequest, { callers, unsaid }: Listing): Partial<ChatRequest> {
  const { tool_choice: choice } = sent.json;
  const isOffer = ({ isAdded }: PlacedTool) => !isAdded && callers.functions.length > 0 && (choice ?? 'auto') === 'auto';
  const offers = callers.others.filter(isOffer);
  if (offers.length > 0) sent.offers = offers.map(({ tool }) => tool);
  const wanted = callers.others.filter((placed) => !isOffer(placed));
  for (const { tool, param } of wanted) unsaid.note(`a tool of type ${worded(tool.type)}`, param);
  const all = [...callers.functions, ...wanted.map(({ tool }) => tool as unknown as Tool)];
  return {
    ...(all.length > 0 && { tools: all }),
    ...choiceOf(choice, { callers, unsaid }),
  };
}

function choiceOf(choice: unknown, { callers, unsaid }: Listing): Partial<ChatRequest> {
  if (choice === undefined || choice === null) return {};
  if (choice === 'auto' || choice === 'none' || choice === 'required') return { tool_choice: choice };
  if (!isObject(choice) || typeof choice.type !== 'string')
    throw wrong('tool_choice must be auto, none, required or a tool', 'tool_choice');
  if (isCallers(choice)) return { tool_choice: toldChoice(choice, callers) };
  if (choice.type === 'allowed_tools' && Array.isArray(choice.tools) && choice.tools.every(isCallers)) {
    const tools = choice.tools.map((tool) => toldChoice(tool, callers));
    return { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: choice.mode, tools } } };
  }
  unsaid.note(`the choice ${worded(choice.type)}`, 'tool_choice');
  return {};
}

interface ChosenTool {
  name: string;
  namespace?: unknown;
}

function isCallers(tool: unknown): tool is ChosenTool {
  return isObject(tool) && (tool.type === 'function' || tool.type === 'custom') && typeof tool.name === 'string';
}

function toldChoice({ name, namespace }: ChosenTool, callers: CallersTools): { type: string; function: { name: string } } {
  const chosen = { name, namespace: typeof namespace === 'string' ? namespace : undefined };
  return { type: 'function', function: { name: callers.toldName(chosen) } };
}
