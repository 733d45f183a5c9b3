/** What takes a provider minutes and is fetched later: pictures of Midjourney proxies, music of Suno. */
export const taskKinds = ['drawing', 'music'] as const;
export type TaskKind = (typeof taskKinds)[number];

/** Where a task stands. '' until its provider has taken it; `MODAL` waits for what its owner has yet to say. */
export const taskStatuses = ['', 'NOT_START', 'SUBMITTED', 'QUEUED', 'IN_PROGRESS', 'MODAL', 'UNKNOWN', 'SUCCESS', 'FAILURE'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** What may be asked of a drawing proxy, and the model that each is served and priced as. */
export const drawingModels = {
  IMAGINE: 'mj_imagine',
  DESCRIBE: 'mj_describe',
  BLEND: 'mj_blend',
  SHORTEN: 'mj_shorten',
  UPLOAD: 'mj_upload',
  UPSCALE: 'mj_upscale',
  VARIATION: 'mj_variation',
  HIGH_VARIATION: 'mj_high_variation',
  LOW_VARIATION: 'mj_low_variation',
  REROLL: 'mj_reroll',
  PAN: 'mj_pan',
  ZOOM: 'mj_zoom',
  CUSTOM_ZOOM: 'mj_custom_zoom',
  INPAINT: 'mj_inpaint',
  EDITS: 'mj_edits',
  MODAL: 'mj_modal',
  SWAP_FACE: 'swap_face',
} as const;
export type DrawingAction = keyof typeof drawingModels;

export const musicModels = { MUSIC: 'suno_music', LYRICS: 'suno_lyrics' } as const;
export type MusicAction = keyof typeof musicModels;

/** How much of a queue is drawn at once, as callers say it by path, by prompt or by account filter. */
export const drawingModes = ['fast', 'relax', 'turbo'] as const;
export type DrawingMode = (typeof drawingModes)[number];

/** Who leaves a task to the sync after this long without an end has lost it: it fails, and its price is given back. */
export const longestTaskMs = { drawing: 3_600_000, music: 3 * 3_600_000 } as const satisfies Record<TaskKind, number>;
/** So long a task may wait to be taken by its provider; the relay asks for at most a minute. */
export const longestSubmitMs = 10 * 60_000;

/** A provider's reply to a submission. `taken`: it works on the task, or has already done it. */
export interface TaskSubmission {
  taken: boolean;
  /** Empty where the work is already done. */
  upstreamId: string;
  /** The provider's own code and message. */
  code: number;
  codeText: string;
  description: string;
  /** The state of a task that was submitted before. */
  known: { status: TaskStatus; imageUrl: string } | undefined;
  properties: unknown;
  result: unknown;
}

/** The state of a task as its provider reports it. Empty where it reports nothing. */
export interface TaskNews {
  upstreamId: string;
  action: string;
  status: TaskStatus;
  progress: string;
  failReason: string;
  /** Milliseconds since 1970; undefined: not yet. */
  startedAtMs: number | undefined;
  endedAtMs: number | undefined;
  prompt: string;
  promptEn: string;
  description: string;
  state: string;
  imageUrl: string;
  buttons: unknown;
  properties: unknown;
  data: unknown;
}

/** The code of a provider that already had the task, or that waits for a modal. */
export const taskExisted = 21;
