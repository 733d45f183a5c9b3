import type { DrawingAction } from '@tollgate/contracts';

/** What a follow-up asks for: which action, and of the four pictures which one, from 1. */
export interface FollowUp {
  action: DrawingAction;
  index: number;
}

/**
 * What a button's id stands for, such as `MJ::JOB::upsample::2::<uuid>`; undefined for one that nobody knows.
 * Source: https://github.com/novicezk/midjourney-proxy (buttons of tasks)
 */
export function followUpOf(customId: string): FollowUp | undefined {
  const parts = customId.split('::');
  const at = parts[1] === 'JOB' ? 2 : 1;
  const word = parts[at] ?? '';
  const action = actionOf(word);
  if (action === undefined) return undefined;
  const index = action === 'UPSCALE' || action === 'VARIATION' ? Number(parts[at + 1]) : 1;
  return { action, index: Number.isInteger(index) ? index : 1 };
}

function actionOf(word: string): DrawingAction | undefined {
  if (word.includes('upsample')) return 'UPSCALE';
  if (word.startsWith('pan')) return 'PAN';
  if (word.startsWith('reroll')) return 'REROLL';
  return byWord.get(word);
}

const byWord = new Map<string, DrawingAction>([
  ['variation', 'VARIATION'],
  ['low_variation', 'LOW_VARIATION'],
  ['high_variation', 'HIGH_VARIATION'],
  ['Outpaint', 'ZOOM'],
  ['CustomZoom', 'CUSTOM_ZOOM'],
  ['Inpaint', 'INPAINT'],
]);

/** `<task> U2`, `<task> V3`, `<task> R`: what a simple change says; undefined when it says something else. */
export function simpleChangeOf(content: string): (FollowUp & { taskId: string }) | undefined {
  const [, taskId, letter, index] = /^\s*(\S{1,128})\s+(?:([UV])([1-4])|R)\s*$/i.exec(content) ?? [];
  if (taskId === undefined) return undefined;
  if (letter === undefined) return { taskId, action: 'REROLL', index: 1 };
  return { taskId, action: letter.toUpperCase() === 'U' ? 'UPSCALE' : 'VARIATION', index: Number(index) };
}
