import type { Tone } from '../../shared/format.ts';

/** Whether a task may still change. */
export function isOpen({ status }: { status: string }): boolean {
  return status !== 'SUCCESS' && status !== 'FAILURE' && status !== 'MODAL';
}

/** How far it is, from 0 to 100; undefined where its provider says something else. */
export function percentOf({ progress }: { progress: string }): number | undefined {
  const percent = /^(\d{1,3}(?:\.\d+)?) ?%?$/.exec(progress.trim())?.[1];
  return percent === undefined ? undefined : Math.min(100, Number(percent));
}

const tones: Record<string, Tone> = {
  SUCCESS: 'success',
  FAILURE: 'error',
  MODAL: 'warning',
  IN_PROGRESS: 'info',
  SUBMITTED: 'info',
  QUEUED: 'info',
};

export function statusTone(status: string): Tone {
  return tones[status] ?? 'neutral';
}

const named = ['NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'MODAL', 'SUCCESS', 'FAILURE'] as const;
export const drawingStatuses = ['NOT_START', 'SUBMITTED', 'IN_PROGRESS', 'MODAL', 'SUCCESS', 'FAILURE'] as const;
export const musicStatuses = ['NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'SUCCESS', 'FAILURE'] as const;

/** The key of a status in the texts. A task that has none yet is on its way to its provider. */
export function statusKey(status: string): `statuses.${(typeof named)[number] | 'SUBMITTING' | 'UNKNOWN'}` {
  if (status === '') return 'statuses.SUBMITTING';
  return `statuses.${named.find((known) => known === status) ?? 'UNKNOWN'}`;
}

const actions = [
  'IMAGINE',
  'UPSCALE',
  'VARIATION',
  'HIGH_VARIATION',
  'LOW_VARIATION',
  'PAN',
  'DESCRIBE',
  'BLEND',
  'UPLOAD',
  'SHORTEN',
  'REROLL',
  'INPAINT',
  'ZOOM',
  'CUSTOM_ZOOM',
  'MODAL',
  'SWAP_FACE',
  'EDITS',
  'MUSIC',
  'LYRICS',
] as const;

export function actionKey(action: string): `actions.${(typeof actions)[number] | 'UNKNOWN'}` {
  return `actions.${actions.find((known) => known === action) ?? 'UNKNOWN'}`;
}

/** What a provider answered to a submission. */
const codes: Record<number, { key: 'taken' | 'waiting' | 'known'; tone: Tone }> = {
  1: { key: 'taken', tone: 'success' },
  21: { key: 'known', tone: 'info' },
  22: { key: 'waiting', tone: 'warning' },
};

export function submissionOf(code: number): { key: `codes.${'taken' | 'waiting' | 'known' | 'open' | 'refused'}`; tone: Tone } {
  const known = codes[code];
  if (known) return { key: `codes.${known.key}`, tone: known.tone };
  return code === 0 ? { key: 'codes.open', tone: 'neutral' } : { key: 'codes.refused', tone: 'error' };
}
