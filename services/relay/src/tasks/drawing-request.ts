import { type DrawingAction, drawingModels, type OptionValues } from '@tollgate/contracts';
import { followUpOf, type JsonObject, simpleChangeOf } from '@tollgate/providers';
import { checkCase, needed, type SentBody, stringIn, type TaskRequest, withoutModes, wrong } from './task-request.ts';

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
const looked = [
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
  checkCase(json, looked);
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
