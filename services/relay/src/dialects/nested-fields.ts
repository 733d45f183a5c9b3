import { isObject, type JsonObject } from '@tollgate/providers';
import type { AppError } from '@tollgate/runtime';
import { accountResources, cacheRole, fileMark } from './account-resources.ts';
import { asksNothing, bareName, foldedName, pricedMeant, unpriced, wrong } from './fields.ts';

/** What of a request names something that is kept at the provider, in the account of the channel. */
export interface AccountResource {
  param: string;
}

const resourceFields = accountResources.flatMap(({ fields }) => fields);
/** Fields whose value names what is kept at a provider, wherever they are. */
const ids = new Set(resourceFields.flatMap(({ field, within }) => (within === undefined ? [field] : [])));
/** The same within a field, or in an item of a type, of this name. */
const idsWithin = new Map(resourceFields.flatMap((id) => (id.within === undefined ? [] : [[`${id.within}.${id.field}`, id] as const])));
const idsSomewhere = new Set([...idsWithin.values()].map(({ field }) => field));
const idHolders = resourceFields.flatMap(({ within }) => (within === undefined || within === 'image_generation_call' ? [] : [within]));
/** Fields whose value says where a file is. */
const fileFields = [
  ...['image_url', 'imageUrl', 'file_url', 'fileUrl', 'file_uri', 'fileUri', 'file_data', 'video_url', 'audio_url'],
  ...['image', 'images', 'mask', 'video', 'document_url', 'documentUrl'],
];
/** What else is read of messages, parts and tools to check, weigh or price a request. */
const readFields = [
  ...['type', 'role', 'content', 'text', 'name', 'function', 'tools', 'tool', 'parts', 'source', 'file', 'url', 'uri', 'data', 'format'],
  ...['input_audio', 'mode', 'execution', 'definition', 'fileData', 'file_data', 'inlineData', 'inline_data', 'mimeType', 'mime_type'],
  ...['functionCall', 'function_call', 'functionResponse', 'function_response', 'server_url', 'connector_id', 'include_usage'],
];
const files = new Set(fileFields);
const resources = [...ids, ...idsSomewhere, ...idHolders, ...fileFields];
const exact = new Set([...resources, ...readFields]);
const byFolded = new Map([...exact].map((name) => [foldedName(name), name]));
/** Of one provider only, which reads no other spelling; with an underscore it is a name of Open WebUI's own. */
const spelledOneWay = 'chatId';
const resourceByBare = new Map(resources.filter((name) => name !== spelledOneWay).map((name) => [bareName(name), name]));

/** Objects with a `url` that is a file's. */
const urlHolders = new Set(['image_url', 'video_url', 'audio_url', 'source', 'file', 'input_audio', 'document_url']);
/** What callers fill freely: schemas and arguments of their functions. */
const free = new Set([
  ...['parameters', 'input_schema', 'schema', 'json_schema', 'properties', 'responseSchema', 'response_schema', 'responseJsonSchema'],
  ...['response_json_schema', 'parametersJsonSchema', 'parameters_json_schema', 'arguments', 'args', 'response', 'metadata', 'logit_bias'],
]);
/** What a provider's own tools have said in an earlier turn. */
const saidByTools = /_(?:output|result)$/;
/** Sent on by some clients as it is, and read by some providers as if it stood at the top. */
const extraBody = 'extra_body';

/**
 * Looks through a request at every depth. `isChat`: refuses names that differ from one that is read here by case, blanks or brackets
 * only, and priced fields in `extra_body`; elsewhere only names of resources are read so. Returns the first thing that names a resource of the upstream account.
 * Throws: AppError `invalid_request`, `unpriced_request_field`.
 */
export function checkNested(body: JsonObject, { isChat } = { isChat: true }): AccountResource | undefined {
  const look = new Look(isChat);
  for (const field in body) {
    const value = body[field];
    const meant = exact.has(field) ? field : (resourceMeant(field) ?? field);
    if (field === extraBody) look.extra(value, field);
    if (ids.has(meant)) look.id(value, field);
    else if (!isChat && files.has(meant)) look.file(value, field);
    const isFree = free.has(field) && (isChat || field !== 'response'); // realtime: what is asked of an answer
    if (typeof value === 'object' && value !== null && !isFree) look.value(value, { param: field, holder: meant, depth: 0 });
  }
  return look.found;
}

export function refusedResource({ param }: AccountResource): AppError {
  return wrong(`${param} names a resource of the provider’s account, which callers may not use here`, param);
}

interface Place {
  param: string;
  /** The field that holds the value. */
  holder: string;
  depth: number;
}

class Look {
  found: AccountResource | undefined;
  readonly #isChat: boolean;

  constructor(isChat: boolean) {
    this.#isChat = isChat;
  }

  value(value: object, place: Place): void {
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at += 1) {
        const item: unknown = value[at];
        if (typeof item === 'object' && item !== null) this.value(item, { ...place, param: `${place.param}[${at}]` });
        else if (files.has(place.holder)) this.file(item, `${place.param}[${at}]`);
      }
    } else this.#object(value as JsonObject, place);
  }

  #object(holder: JsonObject, { param, holder: name, depth }: Place): void {
    if (typeof holder.type === 'string' && saidByTools.test(holder.type)) return;
    if (name === 'messages' && typeof holder.role === 'string' && holder.role.trim().toLowerCase() === cacheRole)
      this.id(cacheRole, `${param}.role`);
    for (const field in holder) {
      const value = holder[field];
      const meant = exact.has(field) ? field : this.#meant(field, param);
      if (ids.has(meant)) this.id(value, `${param}.${field}`);
      else if (idsSomewhere.has(meant)) this.#idWithin(holder, { field: meant, value, param, name });
      else if (files.has(meant) || (meant === 'url' && urlHolders.has(name))) this.file(value, `${param}.${field}`);
      else if ((field === 'content' || field === 'text') && typeof value === 'string' && value.startsWith(fileMark)) this.id(value, param);
      if (typeof value !== 'object' || value === null || free.has(field) || (field === 'input' && depth > 0)) continue;
      this.value(value, { param: `${param}.${field}`, holder: meant, depth: depth + 1 });
    }
  }

  #idWithin(holder: JsonObject, { field, value, param, name }: { field: string; value: unknown; param: string; name: string }): void {
    const id = idsWithin.get(`${name}.${field}`) ?? idsWithin.get(`${holder.type as string}.${field}`);
    if (id !== undefined && !(id.unless !== undefined && holder[id.unless])) this.id(value, `${param}.${field}`);
  }

  id(value: unknown, param: string): void {
    const isNamed = Array.isArray(value) ? value.length > 0 : typeof value === 'string' && value !== '';
    if (isNamed) this.found ??= { param };
  }

  file(value: unknown, param: string): void {
    if (typeof value === 'string' && namesAccount(value, param)) this.found ??= { param };
  }

  /** The field that the most forgiving parser reads. */
  #meant(field: string, param: string): string {
    const meant = (this.#isChat && maybeSpelledOtherwise.test(field) ? byFolded.get(foldedName(field)) : undefined) ?? resourceMeant(field);
    if (meant === undefined) return field;
    if (this.#isChat) throw wrong(`${param}.${field} must be written ${meant}`, param);
    return meant;
  }

  /** Priced fields at any depth, however they are written. */
  extra(value: unknown, param: string): void {
    if (Array.isArray(value)) for (const [at, item] of value.entries()) this.extra(item, `${param}[${at}]`);
    if (!isObject(value)) return;
    for (const [field, inner] of Object.entries(value)) {
      const priced = pricedMeant(field);
      if (priced !== undefined && !asksNothing(priced, inner)) throw unpriced(`${param}.${field}`);
      this.extra(inner, `${param}.${field}`);
    }
  }
}

/** Names of nearly all requests are in small letters, or one of those that are read. */
const maybeSpelledOtherwise = /[^a-z0-9_.-]/;

/** Names that were looked up before: callers send the same ones again and again. */
const lookedUp = new Map<string, string | null>();
const mostLookedUp = 2_000;

/** The field naming a resource that the most forgiving parser reads for a name that is none here. */
function resourceMeant(field: string): string | undefined {
  const known = lookedUp.get(field);
  if (known !== undefined) return known ?? undefined;
  const meant = resourceByBare.get(bareName(field));
  if (lookedUp.size < mostLookedUp && field.length <= 64) lookedUp.set(field, meant ?? null);
  return meant;
}

const scheme = /^\s*([a-z][a-z0-9+.-]*):/i;
/** Files that were given to Google by the account's key. Source: https://ai.google.dev/gemini-api/docs/files */
const filesOfGoogle = /^\s*https?:\/\/generativelanguage\.googleapis\.com\/(?:upload\/|download\/)?v\w+\/files\//i;

/** Whether an address is one that only the account of the channel may read: a bucket, a file by its name, a path. */
function namesAccount(address: string, param: string): boolean {
  if (filesOfGoogle.test(address)) return true;
  const named = scheme.exec(address.slice(0, 64))?.[1]?.toLowerCase();
  if (named !== undefined) return named !== 'http' && named !== 'https' && named !== 'data';
  return /file_?uri$/i.test(param) && address !== '';
}
