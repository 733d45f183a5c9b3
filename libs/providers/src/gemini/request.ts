import { parseExact } from '../exact-json.ts';
import { effortOfThinking, rulesOf, wantedEffort } from '../model-rules.ts';
import { argumentsObject } from '../openai/call-arguments.ts';
import { type DataUrl, inlineFile, readDataUrl } from '../openai/data-url.ts';
import { jsonRuleOf } from '../openai/json-rule.ts';
import { imageUrlOf, instructionText, messageParts, messageText, outputLimitOf } from '../openai/message-text.ts';
import { stopsOf } from '../openai/stops.ts';
import { translatedRequest } from '../openai/told-request.ts';
import type { ChatMessage, ChatRequest, ContentPart, Tool, ToolCall } from '../openai/types.ts';
import type { JsonObject, Target } from '../provider.ts';
import { RequestRefused } from '../upstream-error.ts';
import { searchOf, unsaidOfSearch } from '../web-search.ts';
import { toGeminiSchema } from './json-schema.ts';
import { modelName } from './model-url.ts';
import { thinkingConfig } from './thinking.ts';
import { tierFor } from './tiers.ts';

const mostImages = 16; // of one message
const mostStops = 5;
/** Stands where Gemini wants something said. */
const filler = '...';
/** Gemini 3 wants a signature on every replayed call; this is the documented word for "unknown". */
export const unknownSignature = 'skip_thought_signature_validator';

const harmCategories = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT', 'CIVIC_INTEGRITY'];
const safetySettings = harmCategories.map((category) => ({ category: `HARM_CATEGORY_${category}`, threshold: 'BLOCK_NONE' }));

/**
 * A chat request as generateContent wants it. Throws: RequestRefused for content that Gemini cannot take.
 * Source: https://ai.google.dev/api/generate-content
 */
export function encodeRequest(sent: ChatRequest, target: Target): JsonObject {
  const request = translatedRequest(sent, { choices: true, draws: true, likelihoods: true });
  const model = modelName(target);
  const rules = rulesOf(model);
  const tools = withSearch(toTools(request.tools ?? []), request, target);
  const isInWords = tools.length > 0 && rules.tools?.withSchema === false && jsonRuleOf(request) !== '';
  if (isInWords) target.changes?.add('response_format');
  const config = toGenerationConfig(isInWords ? { ...request, response_format: undefined } : request, model, target.cap);
  if (config?.thinkingConfig === undefined && (wantedEffort(request) ?? 'none') !== 'none') target.changes?.add('reasoning_effort');
  const told = instructionText(request.messages.filter(isSystem));
  const system = isInWords ? [told, jsonRuleOf(request)].filter(Boolean).join('\n') : told;
  const contents = toContents(
    request.messages.filter((message) => !isSystem(message)),
    { needsSignature: rules.reasoning?.back === 'thought_signature' },
  );
  const isSystemOnly = contents.length === 0;
  return {
    contents: isSystemOnly ? [{ role: 'user', parts: [{ text: system || filler }] }] : contents,
    systemInstruction: system !== '' && !isSystemOnly ? { parts: [{ text: system }] } : undefined,
    generationConfig: config,
    tools: tools.length > 0 ? tools : undefined,
    toolConfig: tools.length > 0 ? toToolConfig(request) : undefined,
    safetySettings,
    serviceTier: tierFor(request.service_tier),
  };
}

function isSystem(message: ChatMessage): boolean {
  return message.role === 'system' || message.role === 'developer';
}

/** The user begins; neighbours of one role are joined; a message of nothing is left out. What results show follows when all have been told. */
function toContents(messages: ChatMessage[], options: { needsSignature: boolean }): JsonObject[] {
  const contents: { role: string; parts: JsonObject[] }[] = [];
  const callNames = new Map<string, string>();
  let shown: JsonObject[] = [];
  const say = (role: string, parts: JsonObject[]) => {
    if (parts.length === 0) return;
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts });
  };
  for (const message of inOrderOfCalls(messages)) {
    for (const call of message.tool_calls ?? []) callNames.set(call.id ?? '', call.function?.name ?? '');
    if (isResult(message)) {
      say('user', toParts(message, { callNames, ...options }));
      shown.push(...shownBy(message));
      continue;
    }
    say('user', shown);
    shown = [];
    say(message.role === 'assistant' ? 'model' : 'user', toParts(message, { callNames, ...options }));
  }
  say('user', shown);
  if (contents[0]?.role === 'model') contents.unshift({ role: 'user', parts: [{ text: filler }] });
  return contents as unknown as JsonObject[];
}

function isResult({ role }: ChatMessage): boolean {
  return role === 'tool' || role === 'function';
}

/** Results name no call there: of several calls of one function, each finds its own by its place. */
function inOrderOfCalls(messages: ChatMessage[]): ChatMessage[] {
  const ordered: ChatMessage[] = [];
  let places = new Map<string, number>();
  let results: ChatMessage[] = [];
  const placeOf = ({ tool_call_id: id }: ChatMessage) => places.get(id ?? '') ?? places.size;
  const tell = () => {
    ordered.push(...results.sort((one, other) => placeOf(one) - placeOf(other)));
    results = [];
  };
  for (const message of messages) {
    if (isResult(message)) {
      results.push(message);
      continue;
    }
    tell();
    ordered.push(message);
    if (message.role === 'assistant') places = new Map((message.tool_calls ?? []).map(({ id }, at) => [id ?? '', at]));
  }
  tell();
  return ordered;
}

/** Pictures and files of a result, which only a turn of the user's may hold. */
function shownBy(message: ChatMessage): JsonObject[] {
  const parts = messageParts(message).filter(({ type }) => type !== 'text');
  return parts.length === 0 ? [] : [{ text: `Shown by the tool call ${message.tool_call_id ?? ''}:` }, ...parts.flatMap(toPart)];
}

function toParts(message: ChatMessage, context: { callNames: Map<string, string>; needsSignature: boolean }): JsonObject[] {
  if (isResult(message)) {
    const name = message.name || context.callNames.get(message.tool_call_id ?? '') || '';
    return [{ functionResponse: { name, response: toResult(message) } }];
  }
  const parts = messageParts(message);
  if (parts.filter((part) => part.type === 'image_url').length > mostImages) {
    throw new RequestRefused(`A message may hold at most ${mostImages} images`, 'messages');
  }
  const said = parts.flatMap(toPart);
  if (message.role !== 'assistant') return said;
  return [
    ...withSignature(said, signatureOf(message)),
    ...(message.tool_calls ?? []).map((call) => toFunctionCall(call, context.needsSignature)),
  ];
}

/** What words carry goes back with the last of them. */
function withSignature(parts: JsonObject[], thoughtSignature: string | undefined): JsonObject[] {
  if (thoughtSignature === undefined) return parts;
  const last = parts.at(-1);
  return typeof last?.text === 'string'
    ? [...parts.slice(0, -1), { ...last, thoughtSignature }]
    : [...parts, { text: '', thoughtSignature }];
}

function toPart(part: ContentPart): JsonObject[] {
  if (part.type === 'text') return part.text ? [{ text: part.text }] : [];
  if (part.type === 'image_url') return [toFile(imageUrlOf(part))];
  if (part.type === 'input_audio') {
    return [toInline(inlineFile(`audio/${part.input_audio?.format ?? 'wav'}`, part.input_audio?.data ?? ''))];
  }
  if (part.type === 'file' && part.file?.file_data) return [toFile(part.file.file_data)];
  throw new RequestRefused(`Content of type ${part.type} cannot be sent to this model`, 'messages');
}

/** Google reads videos of YouTube and files of its Files API by their URL. Sources: https://ai.google.dev/gemini-api/docs/video-understanding and .../files */
export function isReadByGoogle(url: string): boolean {
  return /^https:\/\/(?:(?:(?:www|m)\.)?(?:youtube\.com|youtu\.be)\/|generativelanguage\.googleapis\.com\/v\w{1,16}\/files\/)/.test(url);
}

function toFile(url: string): JsonObject {
  const inline = readDataUrl(url);
  if (inline !== undefined) return toInline(inline);
  if (url.startsWith('gs://') || isReadByGoogle(url)) return { fileData: { fileUri: url } };
  throw new RequestRefused('A file or an image must be a base64 data URL for this model', 'messages');
}

function toInline({ mediaType, data }: DataUrl): JsonObject {
  return { inlineData: { mimeType: mediaType, data } };
}

/** A result that is a JSON object is taken as it is, but for one with `$ref`, which Google reads as its own; anything else as text; an error has a word of its own. */
function toResult(message: ChatMessage): JsonObject {
  const text = messageText(message);
  if (message.is_error === true) return { error: text.replace(/^Error: /, '') };
  const object = jsonObject(text);
  return object === undefined || text.includes('"$ref"') ? { output: text } : object;
}

function toFunctionCall(call: ToolCall, needsSignature: boolean): JsonObject {
  const signature = signatureOf(call) ?? (needsSignature ? unknownSignature : undefined);
  const called = { name: call.function?.name ?? '', args: argumentsObject(call.function?.arguments) };
  return { functionCall: called, thoughtSignature: signature };
}

/** Where our answers put it, in the words of Google's own OpenAI-compatible API. */
function signatureOf(carrier: ToolCall | ChatMessage): string | undefined {
  const extra = carrier.extra_content as { google?: { thought_signature?: unknown } } | null | undefined;
  return typeof extra?.google?.thought_signature === 'string' ? extra.google.thought_signature : undefined;
}

function toGenerationConfig(request: ChatRequest, model: string, cap: number | undefined): JsonObject | undefined {
  const format = request.response_format;
  const isJson = format?.type === 'json_object' || format?.type === 'json_schema';
  const schema = format?.type === 'json_schema' ? format.json_schema?.schema : undefined;
  const config = {
    temperature: request.temperature ?? undefined,
    topP: request.top_p ?? undefined,
    topK: request.top_k ?? undefined,
    maxOutputTokens: outputLimitOf(request),
    stopSequences: stopsOf(request, { most: mostStops }),
    candidateCount: request.n ?? undefined,
    seed: request.seed ?? undefined,
    presencePenalty: request.presence_penalty ?? undefined,
    frequencyPenalty: request.frequency_penalty ?? undefined,
    responseLogprobs: request.logprobs === true || Number(request.top_logprobs ?? 0) > 0 || undefined,
    logprobs: request.top_logprobs ?? undefined,
    responseMimeType: isJson ? 'application/json' : undefined,
    responseSchema: schema === undefined ? undefined : toGeminiSchema(schema),
    responseModalities: Array.isArray(request.modalities) ? request.modalities.map((name) => String(name).toUpperCase()) : undefined,
    thinkingConfig: thinkingConfig(model, wantedEffort(request) ?? effortOfThinking(request.thinking), cap),
  };
  return Object.values(config).some((value) => value !== undefined) ? config : undefined;
}

/** What Gemini runs itself, and asks for. */
export const ownTools: ReadonlySet<string> = new Set(['googleSearch', 'codeExecution']);

/** Functions go into one entry; Gemini's own tools, named like functions, into entries of their own. */
function toTools(tools: Tool[]): JsonObject[] {
  const functions = tools.flatMap((tool) => (tool.function ? [tool.function] : []));
  const declarations = functions
    .filter(({ name }) => !ownTools.has(name))
    .map(({ name, description, parameters }) => ({ name, description, parameters: toParameters(parameters) }));
  const own = functions.filter(({ name }) => ownTools.has(name)).map(({ name }) => ({ [name]: {} }));
  return declarations.length > 0 ? [{ functionDeclarations: declarations }, ...own] : own;
}

/** Search is a tool of its own, which Gemini does not take beside functions. Source: https://ai.google.dev/gemini-api/docs/google-search */
function withSearch(tools: JsonObject[], request: ChatRequest, { changes }: Target): JsonObject[] {
  const search = searchOf(request);
  if (search === undefined) return tools;
  if (tools.length > 0) {
    changes?.add('web_search');
    return tools;
  }
  for (const field of unsaidOfSearch(search, 'gemini')) changes?.add(field);
  return [{ googleSearch: {} }];
}

/** An object without properties is refused; it says nothing anyway. */
function toParameters(parameters: JsonObject | null | undefined): JsonObject | undefined {
  if (!parameters) return undefined;
  const isEmpty = parameters.type === 'object' && Object.keys((parameters.properties ?? {}) as JsonObject).length === 0;
  return isEmpty ? undefined : toGeminiSchema(parameters);
}

function toToolConfig({ tool_choice: choice }: ChatRequest): JsonObject | undefined {
  const config = (mode: string, name?: string) => ({
    functionCallingConfig: { mode, ...(name !== undefined && { allowedFunctionNames: [name] }) },
  });
  if (choice === 'auto') return config('AUTO');
  if (choice === 'none') return config('NONE');
  if (choice === 'required') return config('ANY');
  return typeof choice === 'object' && choice?.function?.name ? config('ANY', choice.function.name) : undefined;
}

function jsonObject(text: string): JsonObject | undefined {
  try {
    const value = parseExact(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined; // plain text
  }
}
