import { hostedKindOf } from '@tollgate/contracts';
import { type ChatRequest, isObject, type JsonObject, type Tool, tierNamed } from '@tollgate/providers';
import type { SentRequest } from '../../context/route.ts';
import { UnsupportedFeatures } from '../dialect.ts';
import { bareName, checkInteger, checkModel, mostTokens, refuseUnread, worded, wrong } from '../fields.ts';
import { withDigits } from '../tool-calls.ts';
import { Contents, contentsIn } from './contents.ts';
import { checkSpelling, field, listField, namesIn, objectField, spellings } from './fields.ts';
import { configNames, generationFields, toJsonSchema } from './generation-config.ts';

const spoken = new Set([
  'contents',
  'systemInstruction',
  'generationConfig',
  'tools',
  'toolConfig',
  'safetySettings',
  'serviceTier',
  'model',
]);
const ordinaryTiers = new Set(['standard', 'unspecified']);
/** Thresholds that ask for nothing: what has no such filters keeps to them, too. */
const open = new Set(['BLOCK_NONE', 'OFF', 'HARM_BLOCK_THRESHOLD_UNSPECIFIED']);
const mostChoices = 128;

/**
 * A generateContent request in the hub's words; what the hub cannot say is noted. Throws: AppError `invalid_request` that names
 * the field, `unpriced_request_field`. Source: https://ai.google.dev/api/generate-content
 */
export function generateRequest(sent: SentRequest): ChatRequest {
  const { address } = sent;
  const json = withDigits(sent, calledIn);
  checkModel({ model: address.model });
  const unsupported = new UnsupportedFeatures();
  sent.unsupported = unsupported;
  checkSpelling(json, knownNames);
  refuseUnread(json, (name) => knownNames.has(bareName(name)));
  for (const name of namesIn(json)) if (!spoken.has(name)) unsupported.note('this field', name);
  const config = objectField(json, 'generationConfig') ?? {};
  checkSpelling(config, knownOfConfig, 'generationConfig.');
  checkLimits(config);
  refuseKept(json);
  const contents = new Contents(unsupported);
  const system = systemOf(json, contents);
  const request: ChatRequest = {
    model: address.model ?? '',
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...contents.messages(contentsIn(json))],
    ...generationFields(config, unsupported),
    ...toolsOf(json, unsupported),
    ...tierOf(field(json, 'serviceTier')),
    ...pricedParts(json, { config, unsupported }),
    ...(address.isStream === true && { stream: true }),
  };
  noteFilters(json, unsupported);
  return request;
}

/** A request to count: the contents, or a whole request to generate in them. */
export function countedRequest(sent: SentRequest): ChatRequest {
  const inner = objectField(sent.json, 'generateContentRequest');
  return generateRequest(inner === undefined ? sent : Object.assign(sent, { json: inner, bytes: Buffer.from(JSON.stringify(inner)) }));
}

/** The arguments of earlier calls, and their results. */
function calledIn({ contents }: JsonObject): unknown[] {
  const parts = Array.isArray(contents) ? (contents as (JsonObject | null)[]).flatMap((content) => content?.parts ?? []) : [];
  return (parts as (JsonObject | null)[]).flatMap((part) => [
    part?.functionCall ?? part?.function_call,
    part?.functionResponse ?? part?.function_response,
  ]);
}

function systemOf(json: JsonObject, contents: Contents): string {
  const instruction = field(json, 'systemInstruction');
  if (typeof instruction === 'string') return instruction;
  const content = objectField(json, 'systemInstruction');
  return content === undefined ? '' : contents.text(content, 'systemInstruction');
}

/** A tier that costs another price than the ordinary one. */
function tierOf(tier: unknown): { service_tier?: string } {
  if (tier === undefined || tier === null) return {};
  const named = tierNamed(worded(tier));
  return ordinaryTiers.has(named) ? {} : { service_tier: named };
}

/** Who else answers or filters, which has a price of its own. */
const pricedFields = ['modelArmorConfig'];
const pricedChoices = ['routingConfig', 'modelConfig', 'modelSelectionConfig'];

/** What stands at the provider's was kept by others, and nobody here has weighed it. */
const keptFields = ['cachedContent', 'continuationToken', 'outputConfig', 'generationOutputConfig'];

const knownNames = spellings([...spoken, ...pricedFields, ...keptFields, 'generateContentRequest']);
const knownOfConfig = spellings([...pricedChoices, ...configNames]);

const isSaid = (value: unknown) => value !== undefined && value !== null && value !== '';

function refuseKept(json: JsonObject): void {
  for (const name of keptFields) {
    if (isSaid(field(json, name))) throw wrong(`${name} is not supported: nothing is kept here, send the whole conversation`, name);
  }
}

/** Under the names by which they are priced. */
function pricedParts(json: JsonObject, { config, unsupported }: { config: JsonObject; unsupported: UnsupportedFeatures }): JsonObject {
  const said = [
    ...pricedFields.filter((name) => isSaid(field(json, name))),
    ...pricedChoices.filter((name) => isSaid(field(config, name))).map((name) => `generationConfig.${name}`),
  ];
  for (const name of said) unsupported.note('this field', name);
  return Object.fromEntries(said.map((name) => [name, {}]));
}

function checkLimits(config: JsonObject): void {
  const limits = { maxOutputTokens: field(config, 'maxOutputTokens'), candidateCount: field(config, 'candidateCount') };
  checkInteger(limits, 'maxOutputTokens', { least: 1, most: mostTokens });
  checkInteger(limits, 'candidateCount', { least: 1, most: mostChoices });
}

/** A filter that is stricter than none is Gemini's own. */
function noteFilters(json: JsonObject, unsupported: UnsupportedFeatures): void {
  for (const [at, { threshold }] of listField(json, 'safetySettings').entries()) {
    if (!open.has(worded(threshold))) unsupported.note('a filter', `safetySettings[${at}]`);
  }
}

function toolsOf(json: JsonObject, unsupported: UnsupportedFeatures): Partial<ChatRequest> {
  const tools = listField(json, 'tools').flatMap((tool, at) => toTools(tool, `tools[${at}]`, unsupported));
  return { ...(tools.length > 0 && { tools }), ...choiceOf(objectField(json, 'toolConfig'), unsupported) };
}

/** Declared functions; what runs at Google keeps its name, by which it is priced. */
function toTools(tool: JsonObject, param: string, unsupported: UnsupportedFeatures): Tool[] {
  const others = namesIn(tool).filter((name) => name !== 'functionDeclarations');
  for (const name of others) {
    if (hostedKindOf(name) === 'search') unsupported.noteSearch('a tool of Google', `${param}.${name}`);
    else unsupported.note('a tool of Google', `${param}.${name}`);
  }
  return [
    ...listField(tool, 'functionDeclarations').map((declared, at) => {
      const place = `${param}.functionDeclarations[${at}]`;
      if (declared.behavior === 'NON_BLOCKING') unsupported.note('a function that is not waited for', `${place}.behavior`);
      return toFunction(declared, place);
    }),
    ...others.map((type) => ({ type })),
  ];
}

function toFunction(declared: JsonObject, param: string): Tool {
  const { name, description } = declared;
  if (typeof name !== 'string' || name === '') throw wrong(`${param}.name is required`, param);
  const schema = field(declared, 'parametersJsonSchema') ?? toJsonSchema(objectField(declared, 'parameters'));
  const parameters = isObject(schema) ? schema : { type: 'object', properties: {} };
  return { type: 'function', function: { name, ...(typeof description === 'string' && { description }), parameters } };
}

const choices = new Map([
  ['AUTO', 'auto'],
  ['NONE', 'none'],
  ['ANY', 'required'],
  ['VALIDATED', 'auto'],
]);

function choiceOf(config: JsonObject | undefined, unsupported: UnsupportedFeatures): Partial<ChatRequest> {
  if (config === undefined) return {};
  for (const name of namesIn(config)) if (name !== 'functionCallingConfig') unsupported.note('this field', `toolConfig.${name}`);
  const calling = objectField(config, 'functionCallingConfig') ?? {};
  const mode = choices.get(worded(calling.mode).toUpperCase());
  const names = field(calling, 'allowedFunctionNames');
  if (Array.isArray(names) && names.length === 1) return { tool_choice: { type: 'function', function: { name: worded(names[0]) } } };
  if (Array.isArray(names) && names.length > 1) {
    const tools = names.map((name) => ({ type: 'function', function: { name: worded(name) } }));
    return { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: mode === 'required' ? 'required' : 'auto', tools } } };
  }
  return mode === undefined ? {} : { tool_choice: mode };
}
