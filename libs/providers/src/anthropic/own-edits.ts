import { nearestEffort } from '@tollgate/contracts/catalog';
import type { JsonEdits } from '../json-bytes.ts';
import { effortOfBudget, rulesOf } from '../model-rules.ts';
import { isObject } from '../objects.ts';
import { carriedMark, isSealedReasoning } from '../openai/responses-reasoning.ts';
import type { ChatRequest } from '../openai/types.ts';
import type { JsonObject, Target } from '../provider.ts';
import { callIdOf, isCallId } from './call-ids.ts';
import { modelOf, thinkingPlan } from './request.ts';
import { adaptiveThinking, budgetOfEffort, isInToolLoopWithoutThinking, isThinkingName } from './thinking.ts';

const samplingOfThought = ['temperature', 'top_p', 'top_k'];

/**
 * What changes in a Messages request that travels as it came: the model's name, what the rules of the model refuse, and, under a cap or where the name
 * asks for thinking, the output limit and the part of it that may be thought.
 */
export function nativeEdits(own: JsonObject, call: { request: ChatRequest; target: Target }): JsonEdits {
  const edits = limitEdits(own, call);
  const byRules = messagesEdits(own, call.target.model);
  if (byRules === undefined) return edits;
  const changed = [...(edits.changed ?? []), ...byRules.changed];
  const remove = [...(edits.remove ?? []), ...byRules.remove];
  return { set: { ...byRules.set, ...edits.set }, remove: remove.filter((name) => edits.set?.[name] === undefined), changed };
}

function limitEdits(own: JsonObject, { request, target }: { request: ChatRequest; target: Target }): JsonEdits {
  const model = modelOf(target);
  const isLeftOut = target.withoutReasoning === true ? isThought : isUnsigned;
  const messages = legibleMessages(own.messages, isLeftOut);
  const set: JsonObject = { ...(model !== own.model && { model }), ...(messages !== undefined && { messages }) };
  const isByName = isThinkingName(target.model);
  if (target.cap === undefined && !isByName) {
    const isOff = isThinking(own.thinking) && rulesOf(model).reasoning?.form !== 'adaptive' && isInToolLoopWithoutThinking(request);
    return isOff ? withoutThinking(own, set) : { set };
  }
  const { maxTokens, thinking, effort } = thinkingPlan(request, target);
  if (maxTokens !== own.max_tokens) set.max_tokens = maxTokens;
  if (thinking === undefined) return isThinking(own.thinking) ? withoutThinking(own, set) : { set };
  if (effort !== undefined) set.output_config = { ...(own.output_config as JsonObject | undefined), effort };
  return { set: { ...set, thinking }, remove: isByName ? samplingOfThought : [] };
}

/** Thinking is off where a tool loop began without it, since Anthropic refuses it there; so is what can only be said beside it. */
function withoutThinking(own: JsonObject, set: JsonObject): JsonEdits {
  const { context_management: managed } = own;
  const edits = isObject(managed) && Array.isArray(managed.edits) ? (managed.edits as JsonObject[]) : undefined;
  const kept = edits?.filter(({ type }) => typeof type !== 'string' || !type.startsWith('clear_thinking'));
  const edited =
    kept === undefined || kept.length === edits?.length ? {} : { context_management: { ...(managed as JsonObject), edits: kept } };
  return { set: { ...set, ...edited }, remove: ['thinking'], changed: ['thinking'] };
}

/**
 * The messages without thinking that has no signature, without what calls of other providers carry, without sources that no search here has
 * found, and with other ids for calls that are called as nobody is here: all were told to this caller as Anthropic would, and are
 * refused here. Undefined when there is none.
 */
function legibleMessages(messages: unknown, isLeftOut: (block: JsonObject | null) => boolean): JsonObject[] | undefined {
  if (!Array.isArray(messages)) return undefined;
  const holdsForeign = ({ content }: JsonObject) =>
    Array.isArray(content) && content.some((block) => isLeftOut(block) || isForeignlyCited(block) || isForeignlyCalled(block));
  if (!messages.some(holdsForeign)) return undefined;
  return (messages as JsonObject[]).flatMap((message) => {
    if (!holdsForeign(message)) return [message];
    const content = (message.content as JsonObject[]).filter((block) => !isLeftOut(block)).map(legible);
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

function legible(block: JsonObject): JsonObject {
  if (isForeignlyCited(block)) return withoutForeign(block);
  if (!isForeignlyCalled(block)) return block;
  const { type, id, tool_use_id: of } = block;
  return type === 'tool_use' ? { ...block, id: callIdOf(id as string) } : { ...block, tool_use_id: callIdOf(of as string) };
}

function isForeignlyCalled(block: JsonObject | null): boolean {
  if (block?.type === 'tool_use') return typeof block.id === 'string' && !isCallId(block.id);
  return block?.type === 'tool_result' && typeof block.tool_use_id === 'string' && !isCallId(block.tool_use_id);
}

function isThought(block: JsonObject | null): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking';
}

function isUnsigned(block: JsonObject | null): boolean {
  if (block?.type === 'thinking') return !block.signature || isSealedReasoning(block);
  return block?.type === 'redacted_thinking' && typeof block.data === 'string' && block.data.startsWith(carriedMark);
}

function isForeignlyCited(block: JsonObject | null): boolean {
  return block?.type === 'text' && Array.isArray(block.citations) && block.citations.some(isForeign);
}

function isForeign(citation: JsonObject | null): boolean {
  return citation?.type === 'web_search_result_location' && citation.encrypted_index === '';
}

function withoutForeign({ citations, ...block }: JsonObject): JsonObject {
  const own = (citations as JsonObject[]).filter((citation) => !isForeign(citation));
  return own.length === 0 ? block : { ...block, citations: own };
}

function isThinking(thinking: unknown): boolean {
  return (thinking as JsonObject | null | undefined)?.type === 'enabled';
}

/**
 * What the rules of a model change in a Messages request of a caller's own: only what would be refused. Sampling that is not the usual one, a form of
 * thinking that the model does not know, and levels that it does not have.
 */
function messagesEdits(own: JsonObject, model: string): Required<JsonEdits> | undefined {
  const { parameters, reasoning } = rulesOf(model);
  const set: JsonObject = {};
  const isSaid = (name: string) => own[name] !== undefined && own[name] !== null;
  const remove = (parameters?.refused ?? []).filter((name) => isSaid(name) && own[name] !== 1);
  for (const [first, second] of parameters?.exclusive ?? []) if (isSaid(first) && isSaid(second)) remove.push(second);
  const changed = [...remove];
  const { thinking } = own;
  const config = isObject(own.output_config) ? own.output_config : {};
  let effort = config.effort;
  if (isObject(thinking) && reasoning?.form === 'adaptive') {
    if (thinking.type === 'enabled') {
      set.thinking = { ...adaptiveThinking, ...(thinking.display !== undefined && { display: thinking.display }) };
      effort ??= effortOfBudget(thinking.budget_tokens);
      changed.push('thinking');
    } else if (thinking.type === 'disabled' && reasoning.off === false) {
      remove.push('thinking');
      changed.push('thinking');
    }
  } else if (isObject(thinking) && thinking.type === 'adaptive' && reasoning?.form === 'budget' && reasoning.efforts === undefined) {
    const budget = budgetOfEffort(effort, Number(own.max_tokens));
    if (budget === undefined) remove.push('thinking');
    else set.thinking = { type: 'enabled', budget_tokens: budget };
    changed.push('thinking');
  }
  const level = typeof effort === 'string' && reasoning !== undefined ? levelOf(effort, reasoning.efforts) : effort;
  if (level !== config.effort) {
    const { effort: _effort, ...rest } = config;
    const next = level === undefined ? rest : { ...rest, effort: level };
    if (Object.keys(next).length > 0) set.output_config = next;
    else remove.push('output_config');
    if (effort === config.effort) changed.push('output_config.effort');
  }
  return changed.length === 0 ? undefined : { set, remove, changed, isUnique: false };
}

/** A model without levels takes none. */
function levelOf(effort: string, efforts: Parameters<typeof nearestEffort>[1]['efforts']): string | undefined {
  return efforts === undefined ? undefined : nearestEffort(effort, { efforts });
}
