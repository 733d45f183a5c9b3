import {
  type ChatMessage,
  type ContentPart,
  compactedText,
  freeTextArguments,
  isObject,
  type JsonObject,
  objectsIn,
  type ToolCall,
  weighableJson,
} from '@tollgate/providers';
import type { Omissible, UnsupportedFeatures } from '../dialect.ts';
import { textIn, worded, wrong } from '../fields.ts';
import { joinedWords, unpacked } from '../opaque-state.ts';
import type { CallersTools } from './callers-tools.ts';
import { isTrigger } from './compaction.ts';

/** What begins all that OpenAI seals. Source: https://github.com/fernet/spec/blob/master/Spec.md */
const sealedMark = 'gAAAA';

/** Items of earlier turns that tools made at a provider. The conversation goes on without them where only their own dialect can say them. */
const hostedItems = new Set([
  ...['web_search_call', 'file_search_call', 'code_interpreter_call', 'image_generation_call', 'compaction'],
  ...['mcp_list_tools', 'mcp_call', 'mcp_approval_request', 'mcp_approval_response'],
]);

interface Place {
  param: string;
  unsupported: UnsupportedFeatures;
  callers: CallersTools;
  /** `SentRequest.omissible`, where there is one. */
  omissible?: Map<ChatMessage, Omissible>;
}

/** The conversation of a Responses request: a text, or a list of items. Throws: AppError `invalid_request`. */
export function messagesOf(input: unknown, wish: Omit<Place, 'param'>): ChatMessage[] {
  if (typeof input === 'string' && input !== '') return [{ role: 'user', content: input }];
  if (!Array.isArray(input)) throw wrong('input is required: a text or a list of items', 'input');
  if (input.length === 0) throw wrong('input must not be empty', 'input');
  const conversation = new Conversation();
  for (const [at, item] of input.entries()) takeItem(item, conversation, { param: `input[${at}]`, ...wish });
  return conversation.messages;
}

/** Items become messages: what the model said in one turn, in several items, is one message of the hub. */
class Conversation {
  readonly #said: (ChatMessage | ChatMessage[])[] = [];
  #turn: ChatMessage | undefined;
  #resultsOfTurn: ChatMessage[] = [];
  /** The results of the turn that each call stands in, which follow it. */
  readonly #results = new Map<string, ChatMessage[]>();
  /** What calls that are still to come carry. */
  #carried = new Map<string, JsonObject>();
  /** What words that are still to come carry. */
  #carriedText: JsonObject | undefined;

  get messages(): ChatMessage[] {
    return this.#said.flat();
  }

  say(message: ChatMessage): void {
    this.#turn = undefined;
    this.#said.push(message);
  }

  /**
   * A result stands behind the turn that calls for it, whatever was said meanwhile: in a chat nothing may come between. What a tool showed stands with
   * the user's words, behind the results of its turn.
   */
  answer(result: ChatMessage, shown: ContentPart[]): void {
    const results = this.#results.get(result.tool_call_id ?? '');
    if (results === undefined) this.#said.push(result);
    else results.push(result);
    this.#turn = undefined;
    if (shown.length === 0) return;
    const heading = { type: 'text', text: `Shown by the tool call ${result.tool_call_id}:` };
    this.#said.push({ role: 'user', content: [heading, ...shown] });
  }

  /** The turn of the model that is being told; a new one where what is told cannot stand in it any more. */
  turn(isOver: (turn: ChatMessage) => boolean): ChatMessage {
    if (this.#turn === undefined || isOver(this.#turn)) {
      this.#turn = { role: 'assistant', content: null };
      this.#resultsOfTurn = [];
      this.#said.push(this.#turn, this.#resultsOfTurn);
      if (this.#carriedText !== undefined) this.#turn.extra_content = this.#carriedText;
      this.#carriedText = undefined;
    }
    return this.#turn;
  }

  carry(calls: Record<string, JsonObject>): void {
    for (const [id, extra] of Object.entries(calls)) this.#carried.set(id, extra);
  }

  /** In a stream it comes behind the words. */
  carryText(extra: JsonObject): void {
    if (this.#turn === undefined) this.#carriedText = joinedWords(this.#carriedText, extra);
    else this.#turn.extra_content = joinedWords(this.#turn.extra_content as JsonObject | undefined, extra);
  }

  call(call: ToolCall & { id: string }): void {
    const turn = this.turn(() => false);
    const extra = this.#carried.get(call.id);
    this.#results.set(call.id, this.#resultsOfTurn);
    turn.tool_calls ??= [];
    turn.tool_calls.push(extra === undefined ? call : { ...call, extra_content: extra });
  }
}

function takeItem(item: unknown, conversation: Conversation, place: Place): void {
  const { param, unsupported } = place;
  if (!isObject(item)) throw wrong(`${param} must be an object`, param);
  const { type = 'message' } = item;
  if (type === 'message') takeMessage(item, conversation, place);
  else if (type === 'function_call' || type === 'custom_tool_call') conversation.call(toCall(item, place));
  else if (type === 'function_call_output' || type === 'custom_tool_call_output') takeResult(item, conversation, place);
  else if (type === 'tool_search_call' && item.execution === 'client') conversation.call(toSearch(item, place));
  else if (type === 'tool_search_output' && item.execution === 'client') takeFound(item, conversation, place);
  else if (type === 'agent_message') takeAgentMessage(item, conversation, place);
  else if (type === 'additional_tools')
    return; // they stand among the tools
  else if (type === 'reasoning') takeReasoning(item, conversation, place);
  else if (type === 'compaction' && compactedText(item) !== undefined)
    conversation.say({ role: 'user', content: compactedText(item) ?? '' });
  else if (isTrigger(item)) return;
  else if (type === 'item_reference') unsupported.note('an item that a provider keeps', param);
  else if (typeof type !== 'string') throw wrong(`${param}.type must be a text`, `${param}.type`);
  else {
    const shown: ChatMessage = { role: 'user', content: weighableJson(item).text }; // to be weighed
    if (hostedItems.has(type)) place.omissible?.set(shown, { param, what: type });
    else unsupported.note(`an item of type ${worded(type)}`, param);
    conversation.say(shown);
  }
}

function takeMessage({ role, content }: JsonObject, conversation: Conversation, { param, unsupported }: Place): void {
  const place = { param: `${param}.content`, unsupported };
  const said = textAlone(partsOf(content, place));
  if (role === 'user') conversation.say({ role, content: said });
  else if (role === 'system' || role === 'developer') conversation.say({ role: 'system', content: said });
  else if (role === 'assistant') conversation.turn(hasSpoken).content = said;
  else throw wrong(`${param}.role must be user, assistant, system or developer`, `${param}.role`);
}

/** What the caller's agents say to each other is heard as said by the user. What OpenAI has sealed of it, nobody else can read. */
function takeAgentMessage({ content }: JsonObject, conversation: Conversation, { param, unsupported }: Place): void {
  if (!Array.isArray(content)) throw wrong(`${param}.content must be a list of parts`, `${param}.content`);
  const plain = content.map((part: unknown) =>
    isObject(part) && part.type === 'encrypted_content' ? { type: 'input_text', text: part.encrypted_content } : part,
  );
  if (plain.some((part) => isObject(part) && String(part.text).startsWith(sealedMark)))
    unsupported.note('a sealed message', `${param}.content`);
  conversation.say({ role: 'user', content: partsOf(plain, { param: `${param}.content`, unsupported }) });
}

function toCall(
  { type, call_id: id, name, namespace, arguments: args, input }: JsonObject,
  { param, callers }: Place,
): ToolCall & { id: string } {
  if (typeof id !== 'string' || typeof name !== 'string') throw wrong(`${param} must have a call_id and a name`, param);
  const called = callers.toldName({ name, namespace: typeof namespace === 'string' ? namespace : undefined });
  if (type === 'custom_tool_call') {
    if (typeof input !== 'string') throw wrong(`${param}.input must be a text`, `${param}.input`);
    return { id, type: 'function', function: { name: called, arguments: freeTextArguments(input) } };
  }
  if (typeof args !== 'string') throw wrong(`${param}.arguments must be a text`, `${param}.arguments`);
  return { id, type: 'function', function: { name: called, arguments: args } };
}

/** A search for tools, which the caller has run himself. */
function toSearch({ call_id: id, arguments: args }: JsonObject, { param, callers }: Place): ToolCall & { id: string } {
  if (typeof id !== 'string') throw wrong(`${param}.call_id is required`, `${param}.call_id`);
  const name = callers.toldName({ name: 'tool_search', namespace: undefined });
  return { id, type: 'function', function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args ?? {}) } };
}

/** What it has found stands among the tools. */
function takeFound({ call_id: id, tools }: JsonObject, conversation: Conversation, { param, callers }: Place): void {
  if (typeof id !== 'string') throw wrong(`${param}.call_id is required`, `${param}.call_id`);
  const names = callers.toldNamesIn(tools);
  const content = names.length === 0 ? 'No tool was found.' : `These may be called now: ${names.join(', ')}`;
  conversation.answer({ role: 'tool', tool_call_id: id, content }, []);
}

function takeResult({ call_id: id, output }: JsonObject, conversation: Conversation, { param, unsupported }: Place): void {
  if (typeof id !== 'string') throw wrong(`${param}.call_id is required`, `${param}.call_id`);
  const parts = partsOf(output, { param: `${param}.output`, unsupported });
  const content = parts.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('');
  conversation.answer(
    { role: 'tool', tool_call_id: id, content },
    parts.filter(({ type }) => type !== 'text'),
  );
}

/**
 * Signed thinking goes back as it was; text that no signature protects goes back to models that want it. Reasoning that another account or model has
 * encrypted is left out: nobody else can read it.
 */
function takeReasoning({ encrypted_content: sealed, content, summary }: JsonObject, conversation: Conversation, { param }: Place): void {
  if (sealed !== undefined && sealed !== null && typeof sealed !== 'string')
    throw wrong(`${param}.encrypted_content must be a text`, `${param}.encrypted_content`);
  const carried = unpacked(sealed ?? '');
  conversation.carry(carried?.calls ?? {});
  if (carried?.text !== undefined) conversation.carryText(carried.text);
  const text = textOf(content) || textOf(summary);
  const unsigned = carried === undefined && text !== '' ? [{ type: 'thinking', thinking: text }] : [];
  const thinking = carried?.thinking?.length ? carried.thinking : unsigned;
  if (thinking.length === 0) return;
  const turn = conversation.turn(hasSpoken);
  turn.thinking_blocks ??= [];
  for (const block of thinking) (turn.thinking_blocks as JsonObject[]).push(block);
}

function textOf(parts: unknown): string {
  return objectsIn(parts)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('\n');
}

/** What it thinks, and then says, belongs to another message. */
function hasSpoken({ content, tool_calls }: ChatMessage): boolean {
  return content !== null || tool_calls !== undefined;
}

interface PartPlace {
  param: string;
  unsupported: UnsupportedFeatures;
}

/** The parts of an item's content in the hub's words; a text is one part. Throws: AppError `invalid_request`. */
function partsOf(content: unknown, { param, unsupported }: PartPlace): ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) throw wrong(`${param} must be a text or a list of parts`, param);
  return content.map((part: unknown, at) => toPart(part, { param: `${param}[${at}]`, unsupported }));
}

/** Text that is nothing but text is said as one. */
function textAlone(parts: ContentPart[]): string | ContentPart[] {
  const [first] = parts;
  return parts.length === 1 && first?.type === 'text' && first.text !== undefined ? first.text : parts;
}

function toPart(part: unknown, { param, unsupported }: PartPlace): ContentPart {
  if (!isObject(part)) throw wrong(`${param} must be an object`, param);
  const { type } = part;
  if (type === 'input_text' || type === 'output_text' || type === 'text') return { type: 'text', text: textIn(part, 'text', param) };
  if (type === 'refusal') return { type: 'text', text: textIn(part, 'refusal', param) };
  if (type === 'input_image') return toImage(part, { param, unsupported });
  if (type === 'input_file') return toFile(part, { param, unsupported });
  if (type === 'input_audio' && isObject(part.input_audio)) {
    const { data, format } = part.input_audio;
    if (typeof data === 'string' && typeof format === 'string') return { type: 'input_audio', input_audio: { data, format } };
    throw wrong(`${param}.input_audio must have data and format`, param);
  }
  unsupported.note(`a part of type ${worded(type)}`, param);
  return { type: 'text', text: weighableJson(part).text }; // to be weighed
}

function toImage({ image_url: url, detail, file_id: id }: JsonObject, { param, unsupported }: PartPlace): ContentPart {
  if (typeof url === 'string' && url !== '') {
    return { type: 'image_url', image_url: { url, ...(typeof detail === 'string' && { detail }) } };
  }
  if (typeof id !== 'string') throw wrong(`${param}.image_url is required`, param);
  unsupported.note('an image by its file_id', param);
  return { type: 'text', text: id };
}

function toFile({ file_data: data, filename, file_url: url, file_id: id }: JsonObject, { param, unsupported }: PartPlace): ContentPart {
  if (typeof data === 'string' && data !== '') {
    return { type: 'file', file: { ...(typeof filename === 'string' && { filename }), file_data: data } };
  }
  if (typeof url === 'string' && url !== '') {
    return { type: 'file', file: { filename: typeof filename === 'string' ? filename : 'document.pdf', file_data: url } };
  }
  if (typeof id !== 'string') throw wrong(`${param}.file_data is required`, param);
  unsupported.note('a file by its file_id', param);
  return { type: 'text', text: id };
}
