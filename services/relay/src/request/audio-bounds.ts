import { AppError } from '@tollgate/runtime';
import { longestSound, mostPadding } from './audio-frames.ts';

/** What is known of the length of audio, in seconds. */
export interface AudioBounds {
  /** As its headers state it; 0: they do not. */
  declared: number;
  /** What a decoder makes of its frames. */
  decoded: number;
  /** No codec of this kind packs its bytes into less. */
  least: number;
}

/**
 * The greatest of what is known, except that a declared length stands beside frames that are longer only by what encoders pad.
 * undefined: nothing is known. Throws: AppError for a length that nothing has.
 */
export function longestOf({ declared, decoded, least }: AudioBounds): number | undefined {
  const isPadded = declared > 0 && decoded > declared && decoded <= declared + mostPadding;
  const seconds = Math.max(declared, isPadded ? 0 : decoded, least);
  if (seconds >= longestSound) throw refusedAudio('it is too long');
  return seconds > 0 ? Math.round(seconds * 1e6) / 1e6 : undefined; // sums of fractions: a begun second is paid whole
}

/** An audio file that cannot be billed, because it contradicts itself or is in a codec whose length is unknown. */
export function refusedAudio(reason: string): AppError {
  return new AppError('invalid_request', { reason: `the audio file cannot be read: ${reason}` }, { param: 'file' });
}
