import {
  type DrawingAction,
  type DrawingMode,
  drawingModels,
  drawingModes,
  type MusicAction,
  musicModels,
  type OptionValues,
  type TaskKind,
} from '@tollgate/contracts';
import { followUpOf, type JsonEdits, type JsonObject, simpleChangeOf } from '@tollgate/providers';
import { AppError } from '@tollgate/runtime';
import { foldedName } from '../dialects/fields.ts';

/** What a caller asks for, read from his path and body. */
export interface TaskRequest {
  kind: TaskKind;
  action: string;
  /** What it is served and priced as. */
  model: string;
  /** It costs nothing where the provider waits for a modal: the call that confirms it is charged. */
  isFree: boolean;
  /** Where it goes on the channel. */
  path: string;
  /** What is changed in the body before it goes on; unknown fields travel as they came. */
  edits: JsonEdits;
  prompt: string;
  state: string;
  customId: string;
  botType: string;
  mode: string;
  /** The task that this one goes on with, by its provider's id, and whether that must have succeeded. */
  follows: { id: string; needsSuccess: boolean } | undefined;
  /** The caller wants to be told by a hook of his own. */
  hasHook: boolean;
}

/** A body as it was read: `json` without its long texts, which `textOf` gives whole. */
export interface SentBody {
  json: JsonObject;
  textOf(text: string): string;
}

/**
 * Refuses a field that differs by case, blanks or brackets alone from one that is looked at: a provider whose parser passes over case would take it for
 * that one, and do what was not checked. Throws: AppError `invalid_request`.
 */
export function checkCase(json: JsonObject, looked: readonly string[]): void {
  const byFolded = new Map(looked.map((name) => [foldedName(name), name]));
  for (const field of Object.keys(json)) {
    const name = byFolded.get(foldedName(field));
    if (name !== undefined && name !== field) throw wrong(field, `${field} must be written ${name}`);
  }
}

export function stringIn(json: JsonObject, field: string): string {
  const value = json[field];
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw wrong(field, `${field} must be a string`);
  return value;
}

export function needed(json: JsonObject, field: string): string {
  const value = stringIn(json, field);
  if (value.trim() === '') throw wrong(field, `${field}_is_required`);
  return value;
}

export function wrong(param: string, reason: string): AppError {
  return new AppError('invalid_request', { reason }, { param });
}

/** The modes that a call asks for: by its path, by switches in its prompt, by its account filter where that is let through. */
export function modesAsked(pathMode: string, prompt: string, filter: unknown, options: OptionValues): DrawingMode[] {
  const asked = new Set<DrawingMode>();
  const filtered = options.MjAccountFilterEnabled ? (filter as { modes?: unknown } | null | undefined)?.modes : undefined;
  for (const mode of drawingModes) {
    const isFiltered = Array.isArray(filtered) && filtered.some((each) => String(each).toLowerCase() === mode);
    const isSwitched = !options.MjModeClearEnabled && switchOf(mode).test(prompt);
    if (pathMode.endsWith(mode) || isSwitched || isFiltered) asked.add(mode);
  }
  return [...asked];
}

/** A prompt without `--fast`, `--relax` and `--turbo`. */
export function withoutModes(prompt: string): string {
  return drawingModes.reduce((text, mode) => text.replace(new RegExp(switchOf(mode), 'gi'), ''), prompt);
}

/** In either case, and with the dash that phones make of two. */
function switchOf(mode: DrawingMode): RegExp {
  return new RegExp(`\\s?(?:--|\u2014)${mode}(?![\\w-])`, 'i');
}

const defaultVersion = 'chirp-v3-0';
const looked = ['prompt', 'gpt_description_prompt', 'continue_clip_id', 'task_id', 'make_instrumental', 'mv'];

/** A submission of music or lyrics; `named` is the last part of the path. Throws: AppError `invalid_request` that names the field. */
export function musicRequest(named: string, { json, textOf }: SentBody): TaskRequest {
  const action = named.toUpperCase() as MusicAction;
  if (!Object.hasOwn(musicModels, action)) throw wrong('action', 'invalid_action: music or lyrics');
  checkCase(json, looked);
  if (action === 'LYRICS') needed(json, 'prompt');
  const continued = stringIn(json, 'continue_clip_id');
  const instrumental = json.make_instrumental ?? false;
  if (typeof instrumental !== 'boolean') throw wrong('make_instrumental', 'make_instrumental must be true or false');
  const version = stringIn(json, 'mv') || (action === 'MUSIC' ? defaultVersion : '');
  return {
    kind: 'music',
    action,
    model: musicModels[action],
    isFree: false,
    path: `/suno/submit/${action}`,
    edits: { set: { make_instrumental: instrumental, ...(version !== '' && { mv: version }) } },
    prompt: textOf(stringIn(json, 'gpt_description_prompt') || stringIn(json, 'prompt')),
    state: '',
    customId: '',
    botType: '',
    mode: '',
    hasHook: true,
    follows: continued === '' ? undefined : { id: needed(json, 'task_id'), needsSuccess: false },
  };
}

/** What the body names, and where in it. */
type Reader = (json: JsonObject) => { action: DrawingAction; taskId?: string; customId?: string };

/** The submissions by their paths under `/mj/`. */
const submissions = new Map<string, Reader>([
  ['submit/imagine', (json) => withImages(prompted(json), { action: 'IMAGINE' })],
  ['submit/edits', (json) => withImages(prompted(json), { action: 'EDITS' })],
  ['submit/describe', (json) => withImages(json, { action: 'DESCRIBE' })],
  ['submit/shorten', (json) => withImages(prompted(json), { action: 'SHORTEN' })],
  ['submit/blend', (json) => withImages(json, { action: 'BLEND' })],
  ['submit/upload-discord-images', (json) => withImages(json, { action: 'UPLOAD' })],
  ['insight-face/swap', swap],
  ['submit/change', change],
  ['submit/simple-change', simpleChange],
  ['submit/action', buttonPressed],
  ['submit/modal', modal],
]);

export const drawingSubmissions: readonly string[] = [...submissions.keys()];

/** What follows from these buttons waits for a modal, which is charged, where the provider says so. */
const free: ReadonlySet<DrawingAction> = new Set(['INPAINT', 'CUSTOM_ZOOM']);

/** What is read of a body, or held back. */
const drawingLooked = [
  ...['prompt', 'state', 'botType', 'accountFilter', 'notifyHook', 'taskId', 'customId', 'content', 'action', 'index'],
  ...['base64', 'base64Array', 'sourceBase64', 'targetBase64', 'maskBase64'],
];

interface DrawingPath {
  /** What follows `/mj/`. */
  path: string;
  /** `mj-fast`, `fast`, ...; '' for none. */
  mode: string;
}

/**
 * A submission to a drawing proxy. What the options do not let through is cut out of it.
 * Throws: AppError `invalid_request` that names the field.
 */
export function drawingRequest({ path, mode }: DrawingPath, { json, textOf }: SentBody, options: OptionValues): TaskRequest {
  const read = submissions.get(path);
  if (read === undefined) throw new Error(`no submission: ${path}`);
  checkCase(json, drawingLooked);
  const { action, taskId, customId = '' } = read(json);
  const prompt = textOf(stringIn(json, 'prompt'));
  const cleared = options.MjModeClearEnabled ? withoutModes(prompt) : prompt;
  const remove: string[] = [];
  if (!options.MjAccountFilterEnabled) remove.push('accountFilter');
  if (!options.MjNotifyEnabled) remove.push('notifyHook');
  return {
    kind: 'drawing',
    action,
    model: drawingModels[action],
    isFree: free.has(action),
    path: mode === '' || mode.startsWith('mj-') ? `/mj/${path}` : `/${mode}/mj/${path}`,
    edits: { remove, ...(cleared !== prompt && { set: { prompt: cleared } }) },
    prompt: cleared,
    state: textOf(stringIn(json, 'state')),
    customId,
    botType: stringIn(json, 'botType'),
    mode,
    follows: taskId === undefined ? undefined : { id: taskId, needsSuccess: options.MjActionCheckSuccessEnabled && action !== 'MODAL' },
    hasHook: stringIn(json, 'notifyHook') !== '',
  };
}

function prompted(json: JsonObject): JsonObject {
  needed(json, 'prompt');
  return json;
}

function modal(json: JsonObject): ReturnType<Reader> {
  checkImage(json.maskBase64, 'maskBase64');
  return { action: 'MODAL', taskId: needed(json, 'taskId') };
}

function swap(json: JsonObject): { action: DrawingAction } {
  for (const field of ['sourceBase64', 'targetBase64']) {
    needed(json, field);
    checkImage(json[field], field);
  }
  return { action: 'SWAP_FACE' };
}

/** Which of a task's four pictures is meant where one has to be named. */
const changes = new Map<string, { action: DrawingAction; isNumbered: boolean }>([
  ['UPSCALE', { action: 'UPSCALE', isNumbered: true }],
  ['VARIATION', { action: 'VARIATION', isNumbered: true }],
  ['REROLL', { action: 'REROLL', isNumbered: false }],
]);

function change(json: JsonObject): ReturnType<Reader> {
  const taskId = needed(json, 'taskId');
  const named = changes.get(needed(json, 'action').toUpperCase());
  if (named === undefined) throw wrong('action', 'unknown_action: UPSCALE, VARIATION or REROLL');
  if (named.isNumbered) checkIndex(json.index);
  return { action: named.action, taskId };
}

function checkIndex(index: unknown): void {
  if (index === undefined || index === null || index === 0) throw wrong('index', 'index_is_required');
  if (!Number.isInteger(index) || (index as number) < 1 || (index as number) > 4) throw wrong('index', 'index must be 1, 2, 3 or 4');
}

function simpleChange(json: JsonObject): ReturnType<Reader> {
  const found = simpleChangeOf(needed(json, 'content'));
  if (found === undefined) throw wrong('content', 'content_parse_failed: write "<task> U2", "<task> V3" or "<task> R"');
  return found;
}

function buttonPressed(json: JsonObject): ReturnType<Reader> {
  const taskId = needed(json, 'taskId');
  const customId = needed(json, 'customId').slice(0, 256);
  const found = followUpOf(customId);
  if (found === undefined) throw wrong('customId', `unknown_action:${customId}`);
  if (found.action === 'UPSCALE' || found.action === 'VARIATION') checkIndex(found.index);
  return { action: found.action, taskId, customId };
}

const mostImages = 10;

function withImages(json: JsonObject, read: { action: DrawingAction }): { action: DrawingAction } {
  checkImage(json.base64, 'base64');
  const { base64Array } = json;
  if (base64Array === undefined || base64Array === null) {
    const isNeeded = read.action === 'BLEND' || read.action === 'UPLOAD';
    if (isNeeded) throw wrong('base64Array', 'base64Array_is_required');
    return read;
  }
  if (!Array.isArray(base64Array)) throw wrong('base64Array', 'base64Array must be a list');
  if (base64Array.length > mostImages) throw wrong('base64Array', `base64Array may hold ${mostImages} pictures`);
  for (const image of base64Array) checkImage(image, 'base64Array');
  return read;
}

/** How pictures begin, in base64: PNG, JPEG, GIF, WebP, BMP, AVIF and HEIC. */
const beginnings = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|Qk|AAAA)/;

/** A picture may be a link, or base64, alone or as a data URL. What is neither is refused before anybody pays for it. */
function checkImage(image: unknown, field: string): void {
  if (image === undefined || image === null || image === '') return;
  if (typeof image !== 'string') throw wrong(field, `${field} must hold texts`);
  if (/^https?:\/\//i.test(image)) return;
  const start = /^data:image\/[\w.+-]{1,32};base64,/.exec(image)?.[0].length ?? 0;
  const base64 = image.slice(start, start + 64);
  if (!beginnings.test(base64)) throw wrong(field, `${field} is no picture in base64`);
}
