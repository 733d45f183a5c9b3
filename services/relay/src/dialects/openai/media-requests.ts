import {
  type ImageRequest,
  isObject,
  type ModerationRequest,
  patchJson,
  type RerankRequest,
  type SpeechRequest,
  type TranscriptionRequest,
} from '@tollgate/providers';
import type { SentRequest } from '../../context/route.ts';
import { checkFlag, checkInteger, checkModel, checkNames, type JsonObject, refuseUnread, unpriced, wrong } from '../fields.ts';

const knownFields = new Set([
  ...['model', 'prompt', 'n', 'size', 'quality', 'style', 'response_format', 'user', 'background', 'moderation', 'output_format'],
  ...['output_compression', 'partial_images', 'stream', 'image', 'mask', 'input_fidelity', 'seed', 'negative_prompt'],
  ...['input', 'voice', 'instructions', 'speed', 'stream_format', 'file', 'language', 'temperature', 'include', 'chunking_strategy'],
  ...['timestamp_granularities', 'known_speaker_names', 'known_speaker_references', 'query', 'documents', 'top_n', 'return_documents'],
  ...['max_chunk_per_doc', 'max_tokens_per_doc', 'overlap_tokens', 'group', 'complexity', 'frame_count', 'frame_duration_ms', 'svg'],
  ...['markup', 'safety_identifier', 'keywords', 'languages'],
]);

const mostPictures = 10;
const mostFrames = 16;
const longestText = 64_000;
const mostDocuments = 10_000;

/** Refuses other spellings, and fields with a price of their own in other modes, but for this mode's `own`. Throws: AppError. */
function checkFields(
  body: JsonObject,
  { known = knownFields, own = [] }: { known?: ReadonlySet<string>; own?: readonly string[] } = {},
): void {
  checkNames(body, known);
  refuseUnread(body, (field) => own.includes(field));
}

/** The body with the model that is meant where none is named. */
function withModel(sent: SentRequest, model: string): JsonObject {
  const { json } = sent;
  if (json.model !== undefined && json.model !== null && json.model !== '') return json;
  json.model = model;
  sent.bytes = patchJson(sent.bytes, { set: { model } });
  return json;
}

/** `POST /v1/images/generations`. Throws: AppError `invalid_request` that names the field, as all here. */
export function imageRequest(sent: SentRequest): ImageRequest {
  const body = withModel(sent, 'dall-e-2');
  checkPrompt(body, { isNeeded: true });
  return checkedImages(body);
}

/** `POST /v1/images/edits` and `/v1/images/variations`: forms, in which numbers are texts. */
export function imageForm(sent: SentRequest, { needsPrompt }: { needsPrompt: boolean }): ImageRequest {
  const body = { ...withModel(sent, 'dall-e-2') };
  if (!sent.form?.files.some((file) => nameOf(file) === 'image')) throw wrong('image is required: a file', 'image');
  refuseEmpty(sent);
  checkFiles(sent, needsPrompt ? ['image', 'mask', 'markup'] : ['image']);
  for (const field of ['n', 'partial_images', 'output_compression', 'frame_count']) body[field] = numberIn(body[field], field);
  body.stream = flagIn(body.stream, 'stream');
  checkPrompt(body, { isNeeded: needsPrompt });
  return checkedImages(body, knownInForms);
}

function checkedImages(body: JsonObject, known: ReadonlySet<string> = knownFields): ImageRequest {
  checkFields(body, { known });
  checkModel(body);
  checkFlag(body, 'stream');
  checkInteger(body, 'n', { least: 1, most: mostPictures });
  checkInteger(body, 'partial_images', { least: 0, most: 3 });
  checkInteger(body, 'frame_count', { least: 1, most: mostFrames });
  if (body.svg !== undefined && body.svg !== null && body.svg !== '') throw unpriced('svg'); // a model of its own writes it
  if (body.stream === true && typeof body.n === 'number' && body.n > 1) throw wrong('n must be 1 where pictures are streamed', 'n');
  for (const field of ['size', 'quality', 'response_format', 'style', 'input_fidelity', 'output_format', 'complexity'] as const)
    checkWord(body, field);
  if (typeof body.size === 'string' && body.size.includes('×')) throw wrong('size must be written with the letter x: 1024x1024', 'size');
  return body as unknown as ImageRequest;
}

function checkPrompt(body: JsonObject, { isNeeded }: { isNeeded: boolean }): void {
  const { prompt } = body;
  if (prompt === undefined || prompt === null || prompt === '') {
    if (isNeeded) throw wrong('prompt is required: a text', 'prompt');
  } else if (typeof prompt !== 'string') throw wrong('prompt must be a text', 'prompt');
  else if (prompt.length > longestText) throw wrong(`prompt must have at most ${longestText} characters`, 'prompt');
}

/** `POST /v1/audio/speech`. */
export function speechRequest(sent: SentRequest): SpeechRequest {
  const body = withModel(sent, 'tts-1');
  checkFields(body, { own: ['speed'] });
  checkModel(body);
  const input = spokenText(body, sent);
  const { speed, stream_format: format } = body;
  if (speed !== undefined && speed !== null && !(typeof speed === 'number' && speed >= 0.25 && speed <= 4)) {
    throw wrong('speed must be a number from 0.25 to 4', 'speed');
  }
  for (const field of ['response_format', 'instructions', 'stream_format'] as const) checkWord(body, field);
  if (format !== undefined && format !== null && format !== 'audio' && format !== 'sse')
    throw wrong('stream_format must be audio or sse', 'stream_format');
  return { ...body, input, stream: format === 'sse' } as unknown as SpeechRequest;
}

/** As an escape in JSON. */
const mostBytesOfCharacter = 6;

/** What is to be read out. It is paid by its characters, so that it is decoded, however long it is. */
function spokenText({ input }: JsonObject, { long }: SentRequest): string {
  if (typeof input !== 'string' || input === '') throw wrong('input is required: a text', 'input');
  const tooLong = wrong(`input must have at most ${longestText} characters`, 'input');
  if (long !== undefined && long.lengthOf(input) > longestText * mostBytesOfCharacter) throw tooLong;
  try {
    const text = long?.filled(input) ?? input;
    if (text.length > longestText) throw tooLong;
    return text;
  } catch (error) {
    throw error instanceof SyntaxError ? wrong('input must be a text', 'input') : error;
  }
}

/** `POST /v1/audio/transcriptions` and `/v1/audio/translations`. */
export function transcriptionForm(sent: SentRequest): TranscriptionRequest {
  const body = { ...withModel(sent, 'whisper-1') };
  checkFields(body, { known: knownInForms });
  checkModel(body);
  const files = sent.form?.files ?? [];
  if (files.length !== 1 || files[0]?.field !== 'file') throw wrong('file is required: one file', 'file');
  refuseEmpty(sent);
  for (const field of ['prompt', 'language', 'response_format', 'temperature'] as const) checkWord(body, field);
  body.stream = flagIn(body.stream, 'stream');
  return body as unknown as TranscriptionRequest;
}

/** `POST /v1/moderations`. */
export function moderationRequest(sent: SentRequest): ModerationRequest {
  const body = withModel(sent, 'omni-moderation-latest');
  checkFields(body);
  checkModel(body);
  const { input } = body;
  const isList = Array.isArray(input) && input.length > 0;
  const isRight =
    typeof input === 'string' ? input !== '' : isList && (input.every((item) => typeof item === 'string') || input.every(isObject));
  if (!isRight) throw wrong('input is required: a text, a list of texts, or a list of parts', 'input');
  return body as unknown as ModerationRequest;
}

/** `POST /v1/rerank`. */
export function rerankRequest({ json: body }: SentRequest): RerankRequest {
  checkFields(body);
  checkModel(body);
  const { query, documents } = body;
  if (typeof query !== 'string' || query === '') throw wrong('query is required: a text', 'query');
  const isList = Array.isArray(documents) && documents.length > 0 && documents.length <= mostDocuments;
  const isDocument = (item: unknown) => typeof item === 'string' || (isObject(item) && ['string', 'undefined'].includes(typeof item.text));
  if (!isList || !documents.every(isDocument)) {
    throw wrong(`documents is required: a list of 1 to ${mostDocuments} texts or objects`, 'documents');
  }
  checkInteger(body, 'top_n', { least: 1, most: mostDocuments });
  checkFlag(body, 'return_documents');
  return body as unknown as RerankRequest;
}

/** `image[]` and `image[0]` are of one list, `image`. */
const nameOf = ({ field }: { field: string }) => field.replace(/\[\d*\]$/, '');

/** A file under another name would go to the provider beside the fields that were checked. */
function checkFiles({ form }: SentRequest, names: readonly string[]): void {
  const other = form?.files.find((file) => !names.includes(nameOf(file)));
  if (other !== undefined) throw wrong(`${other.field} must not be a file`, other.field);
}

/** Lists as clients write them in forms; each entry has the name of its list. */
const formLists = new Set([
  'include[]',
  'timestamp_granularities[]',
  'known_speaker_names[]',
  'known_speaker_references[]',
  'keywords[]',
  'languages[]',
]);
const knownInForms = new Set([...knownFields, ...formLists]);

function refuseEmpty({ form }: SentRequest): void {
  const empty = form?.files.find(({ from, to }) => to === from);
  if (empty !== undefined) throw wrong(`${nameOf(empty)} must not be empty`, nameOf(empty));
}

function checkWord(body: JsonObject, field: string): void {
  const value = body[field];
  if (value !== undefined && value !== null && typeof value !== 'string') throw wrong(`${field} must be a text`, field);
}

function numberIn(value: unknown, field: string): unknown {
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || !/^\d{1,6}$/.test(value)) throw wrong(`${field} must be an integer`, field);
  return Number(value);
}

function flagIn(value: unknown, field: string): boolean | undefined {
  if (value === undefined || value === '') return undefined;
  const word = typeof value === 'string' ? value.toLowerCase() : undefined;
  if (word !== 'true' && word !== 'false') throw wrong(`${field} must be true or false`, field);
  return word === 'true';
}
