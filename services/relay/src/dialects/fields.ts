import { isFreeValue, type PricedField, pricedFields } from '@tollgate/contracts';
import { isObject } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';

/**
 * A field's name as the most forgiving parser reads it: without case (Go's encoding/json), blanks and brackets (parsers of forms), in
 * compatibility form. Case goes both ways: some signs are another letter in one of them only.
 */
export function foldedName(name: string): string {
  const bare = name
    .normalize('NFKC')
    .replace(/\[[^\]]*\]?/g, '')
    .replace(/[\s\p{C}\]]/gu, '');
  return bare.toUpperCase().toLowerCase();
}

/** The same without underscores and dashes, which some parsers pass over as well. Source: https://pkg.go.dev/encoding/json/v2#MatchCaseInsensitiveNames */
export function bareName(name: string): string {
  return plainName.test(name) ? name.replaceAll('_', '').toLowerCase() : foldedName(name).replace(/[_-]/g, '');
}

/** Nearly all names are these, of which folding changes nothing but the case. */
const plainName = /^\w+$/;

/** The fields that have a price of their own, which every check of names looks at. */
const pricedNames: ReadonlySet<string> = new Set(pricedFields.map(({ field }) => field));
const pricedByBare = new Map(pricedFields.map((priced) => [bareName(priced.field), priced]));

/** The field with a price of its own that the most forgiving parser reads for a name; undefined: none. */
export function pricedMeant(field: string): PricedField | undefined {
  return pricedByBare.get(bareName(field));
}

/**
 * Refuses fields with a price of their own that a dialect does not read: a provider that gets the same body may.
 * Throws: AppError `unpriced_request_field`.
 */
export function refuseUnread(body: JsonObject, isRead: (field: string) => boolean): void {
  for (const field of Object.keys(body)) {
    if (isRead(field)) continue;
    const priced = pricedMeant(field);
    if (priced !== undefined && !asksNothing(priced, body[field])) throw unpriced(field);
  }
}

/** Whether a value of such a field costs the ordinary price. */
export function asksNothing({ field }: PricedField, value: unknown): boolean {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return true;
  return isFreeValue(field, value as string) === true;
}

export type JsonObject = Record<string, unknown>;

const longestModelName = 255;
/** No model answers longer; also keeps every product of two counts an exact integer. */
export const mostTokens = 4_000_000;
const mostChoices = 128;

/**
 * Refuses a field that differs from a known or a priced one by case, blanks or brackets alone: a provider whose parser passes over them takes
 * `Model` for `model`, and the last of the two, so that the call would be another than the one that was checked and priced.
 * Throws: AppError `invalid_request`, as all checks here.
 */
export function checkNames(body: JsonObject, known: ReadonlySet<string>): void {
  for (const field of Object.keys(body)) {
    if (known.has(field) || pricedNames.has(field)) continue;
    const folded = foldedName(field);
    if (folded !== field && known.has(folded)) throw wrong(`${field} must be written ${folded}`, field);
    const priced = pricedMeant(field);
    if (priced !== undefined) throw wrong(`${field} must be written ${priced.field}`, field);
  }
}

export function checkModel(request: JsonObject): void {
  const { model } = request;
  if (typeof model !== 'string' || model === '') throw wrong('model is required: the name of a model', 'model');
  if (model.length > longestModelName) throw wrong(`model must have at most ${longestModelName} characters`, 'model');
}

export function checkStream(request: JsonObject): void {
  checkFlag(request, 'stream');
  const options = request.stream_options;
  if (options === undefined || options === null) return;
  if (!isObject(options)) throw wrong('stream_options must be an object', 'stream_options');
  const wanted = options.include_usage;
  if (wanted !== undefined && wanted !== null && typeof wanted !== 'boolean') {
    throw wrong('stream_options.include_usage must be true or false', 'stream_options.include_usage');
  }
}

export function checkChoices(request: JsonObject, field: 'n' | 'best_of'): void {
  checkInteger(request, field, { least: 1, most: mostChoices });
}

export function checkTokens(request: JsonObject, field: 'max_tokens' | 'max_completion_tokens', least: 0 | 1): void {
  checkInteger(request, field, { least, most: mostTokens });
}

/** A list of objects, or nothing. */
export function checkObjects(holder: JsonObject, field: string, param = field): void {
  const list = holder[field];
  if (list === undefined || list === null) return;
  if (!Array.isArray(list) || !list.every(isObject)) throw wrong(`${param} must be a list of objects`, param);
}

const longestWord = 256;

/** A caller's value as a word: what should be one may be anything. */
export function worded(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, longestWord) : typeof value;
}

export function wrong(reason: string, param?: string): AppError {
  return new AppError('invalid_request', { reason }, { param });
}

/** A field that would change what the provider asks, and for which there is no price. */
export function unpriced(field: string, value?: unknown): AppError {
  const named = value === undefined ? field : `${field}=${worded(value)}`;
  return new AppError('unpriced_request_field', { field: named }, { param: field });
}

export function checkFlag(request: JsonObject, field: string): void {
  const value = request[field];
  if (value !== undefined && value !== null && typeof value !== 'boolean') throw wrong(`${field} must be true or false`, field);
}

export function checkInteger(request: JsonObject, field: string, range: { least: number; most: number }): void {
  const value = request[field];
  if (value === undefined || value === null) return;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < range.least || value > range.most) {
    throw wrong(`${field} must be an integer from ${range.least} to ${range.most}`, field);
  }
}

/** Fields of the same name and meaning; null is nothing. */
export function picked(json: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (json[name] === undefined || json[name] === null ? [] : [[name, json[name]]])));
}

/** A text that must be there. `param` says where its holder stands. */
export function textIn(holder: JsonObject, field: string, param: string): string {
  const text = holder[field];
  if (typeof text !== 'string') throw wrong(`${param}.${field} must be a text`, param);
  return text;
}
