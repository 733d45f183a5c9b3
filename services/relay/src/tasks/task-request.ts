import { type DrawingMode, drawingModes, type MusicAction, musicModels, type OptionValues, type TaskKind } from '@tollgate/contracts';
import type { JsonEdits, JsonObject } from '@tollgate/providers';
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
    ...{ state: '', customId: '', botType: '', mode: '', hasHook: true },
    follows: continued === '' ? undefined : { id: needed(json, 'task_id'), needsSuccess: false },
  };
}
