import { type MusicAction, musicModels } from '@tollgate/contracts';
import { checkCase, needed, type SentBody, stringIn, type TaskRequest, wrong } from './task-request.ts';

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
