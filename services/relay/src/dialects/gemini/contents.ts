import { type ChatMessage, type ContentPart, isObject, type JsonObject, type ToolCall, weighableJson } from '@tollgate/providers';
import type { UnsupportedFeatures } from '../dialect.ts';
import { wrong } from '../fields.ts';
import { joinedWords, unsealedThinking, unsealedWords } from '../opaque-state.ts';
import { field, listField, namesIn, objectField } from './fields.ts';

/** What parts may hold that the hub has words for. */
const spoken = new Set(['text', 'thought', 'thoughtSignature', 'inlineData', 'fileData', 'functionCall', 'functionResponse']);

/** A conversation on its way into the hub. Gemini's calls may have no ids: they are numbered, and results find them by name. */
export class Contents {
  readonly #unsupported: UnsupportedFeatures;
  readonly #unanswered = new Map<string, Set<string>>();
  #calls = 0;

  constructor(unsupported: UnsupportedFeatures) {
    this.#unsupported = unsupported;
  }

  /** Neighbours of the model's are one turn, as Google hears them: its clients keep a stream event by event. Throws: AppError `invalid_request` that names the part. */
  messages(contents: readonly JsonObject[]): ChatMessage[] {
    const turns: { isModels: boolean; parts: Placed[] }[] = [];
    for (const [at, content] of contents.entries()) {
      const param = `contents[${at}]`;
      const { role = 'user' } = content;
      if (role !== 'user' && role !== 'model' && role !== 'function') throw wrong(`${param}.role must be user or model`, `${param}.role`);
      const isModels = role === 'model';
      if (!isModels || turns.at(-1)?.isModels !== true) turns.push({ isModels, parts: [] });
      for (const [of, part] of listField(content, 'parts').entries()) turns.at(-1)?.parts.push({ part, param: `${param}.parts[${of}]` });
    }
    return turns.flatMap(({ isModels, parts }) => (isModels ? [this.#fromModel(parts)] : this.#fromUser(parts)));
  }

  /** The texts of an instruction. */
  text(content: JsonObject, param: string): string {
    const parts = this.parts(content, param);
    if (parts.some(({ type }) => type !== 'text')) throw wrong(`${param} must hold texts only`, param);
    return parts.map(({ text }) => text ?? '').join('\n');
  }

  /** What a content holds to read, also what only Google's own dialect can carry. Throws: AppError `invalid_request`. */
  parts(content: JsonObject, param: string): ContentPart[] {
    return listField(content, 'parts').flatMap((part, at) => this.#said(part, `${param}.parts[${at}]`));
  }

  #fromUser(parts: readonly Placed[]): ChatMessage[] {
    const results: ChatMessage[] = [];
    const content: ContentPart[] = [];
    for (const { part, param } of parts) {
      const result = objectField(part, 'functionResponse');
      if (result === undefined) {
        content.push(...this.#said(part, param));
        continue;
      }
      const place = `${param}.functionResponse`;
      const told = this.#result(result, place);
      const shown = listField(result, 'parts').flatMap((one, at) => this.#said(one, `${place}.parts[${at}]`));
      if (shown.length > 0) content.push({ type: 'text', text: `Shown by the tool call ${told.tool_call_id}:` }, ...shown);
      results.push(told);
    }
    if (content.length > 0) return [...results, { role: 'user', content }];
    return results.length > 0 ? results : [{ role: 'user', content: '' }];
  }

  #fromModel(parts: readonly Placed[]): ChatMessage {
    const calls: ToolCall[] = [];
    const content: ContentPart[] = [];
    const signed: JsonObject[] = [];
    let thought = '';
    let carried: JsonObject | undefined;
    for (const { part, param } of parts) {
      const call = objectField(part, 'functionCall');
      const signature = field(part, 'thoughtSignature');
      if (call !== undefined) calls.push(this.#call(call, signature, `${param}.functionCall`));
      else if (part.thought === true) {
        thought += typeof part.text === 'string' ? part.text : '';
        if (typeof signature !== 'string') continue;
        const block = unsealedThinking(signature);
        signed.push(block.type === 'thinking' ? { ...block, thinking: thought } : block);
        thought = '';
      } else {
        if (typeof signature === 'string') carried = joinedWords(carried, wordsCarriedBy(signature));
        content.push(...this.#said(part, param));
      }
    }
    if (thought !== '') signed.push({ type: 'thinking', thinking: thought });
    const isText = content.every(({ type }) => type === 'text');
    return {
      role: 'assistant',
      content: isText ? content.map(({ text }) => text ?? '').join('') || null : content,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(signed.length > 0 && { thinking_blocks: signed }),
      ...(carried !== undefined && { extra_content: carried }),
    };
  }

  #call({ id, name, args }: JsonObject, signature: unknown, param: string): ToolCall {
    if (typeof name !== 'string' || name === '') throw wrong(`${param}.name is required`, param);
    const known = typeof id === 'string' && id !== '' ? id : `call_${this.#calls}`;
    this.#calls += 1;
    const waiting = this.#unanswered.get(name);
    if (waiting === undefined) this.#unanswered.set(name, new Set([known]));
    else waiting.add(known);
    return {
      id: known,
      type: 'function',
      function: { name, arguments: JSON.stringify(args ?? {}) },
      ...(typeof signature === 'string' && { extra_content: { google: { thought_signature: signature } } }),
    };
  }

  #result(result: JsonObject, param: string): ChatMessage {
    const { id, name, response } = result;
    if (typeof name !== 'string' || name === '') throw wrong(`${param}.name is required`, param);
    const waiting = this.#unanswered.get(name);
    const known = typeof id === 'string' && id !== '' ? id : (waiting?.values().next().value ?? `call_of_${name}`);
    waiting?.delete(known);
    return { role: 'tool', tool_call_id: known, name, ...resultOf(response) };
  }

  /** A part that holds something to read. */
  #said(part: JsonObject, param: string): ContentPart[] {
    for (const name of namesIn(part)) if (!spoken.has(name)) this.#unsupported.note('what this is', `${param}.${name}`);
    if (typeof part.text === 'string') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    if (part.text !== undefined && part.text !== null) throw wrong(`${param}.text must be a text`, param);
    const inline = objectField(part, 'inlineData');
    if (inline !== undefined) return [this.#data(inline, `${param}.inlineData`)];
    const file = objectField(part, 'fileData');
    if (file !== undefined) return [this.#file(file, `${param}.fileData`)];
    if (Object.keys(part).length === 0) throw wrong(`${param} is empty`, param);
    return [{ type: 'text', text: weighableJson(part).text }]; // to be weighed
  }

  #data(inline: JsonObject, param: string): ContentPart {
    const type = field(inline, 'mimeType');
    if (typeof type !== 'string' || !type.includes('/') || typeof inline.data !== 'string')
      throw wrong(`${param} must have a mimeType and data`, param);
    const data = inline.data.replaceAll('-', '+').replaceAll('_', '/'); // Google reads both alphabets, and its Python client writes that of addresses
    const url = `data:${type};base64,${data}`;
    if (type.startsWith('image/')) return { type: 'image_url', image_url: { url } };
    if (type.startsWith('audio/')) return { type: 'input_audio', input_audio: { data, format: audioFormat(type) } };
    if (type !== 'application/pdf') this.#unsupported.note(`a file of type ${type.slice(0, 64)}`, param);
    return { type: 'file', file: { filename: 'document.pdf', file_data: url } };
  }

  #file(file: JsonObject, param: string): ContentPart {
    const [uri, type] = [field(file, 'fileUri'), field(file, 'mimeType')];
    if (typeof uri !== 'string') throw wrong(`${param}.fileUri is required`, param);
    const isRemote = /^https?:\/\//.test(uri);
    if (isRemote && type === 'application/pdf') return { type: 'file', file: { filename: 'document.pdf', file_data: uri } };
    if (!isRemote || !String(type).startsWith('image/')) this.#unsupported.note('a file by its address', param);
    return { type: 'image_url', image_url: { url: uri } };
  }
}

function wordsCarriedBy(signature: string): JsonObject {
  return unsealedWords(signature) ?? { google: { thought_signature: signature } };
}

/** A result's words: Google's names for what a function gave, and for what went wrong in it, stand for a text; all else is JSON. */
function resultOf(response: unknown): { content: string; is_error?: true } {
  const said = isObject(response) && Object.keys(response).length === 1 ? response : {};
  if (typeof said.output === 'string') return { content: said.output };
  if (typeof said.error === 'string') return { content: `Error: ${said.error}`, is_error: true };
  return { content: JSON.stringify(response ?? {}) };
}

interface Placed {
  part: JsonObject;
  param: string;
}

/** `audio/mpeg` is what others call `mp3`. */
function audioFormat(type: string): string {
  const kind = type.slice('audio/'.length).replace(/^x-/, '').split(';')[0] ?? '';
  return kind === 'mpeg' ? 'mp3' : kind;
}

/** Contents as a list, whichever of the forms that clients know they are in. Throws: AppError `invalid_request`. */
export function contentsIn(holder: JsonObject): JsonObject[] {
  const { contents } = holder;
  if (typeof contents === 'string') return [{ role: 'user', parts: [{ text: contents }] }];
  const list = Array.isArray(contents) ? (contents as unknown[]) : [contents];
  if (list.length === 0 || !list.every(isObject)) throw wrong('contents is required: a list of contents', 'contents');
  return list;
}
