import { RequestRefused } from '../upstream-error.ts';
import type { ChatRequest } from './types.ts';

/**
 * The texts at which an answer is to end, for who takes so many; an empty one ends nothing. undefined for none.
 * Throws: RequestRefused for more: an answer that goes on behind one of them is another answer.
 */
export function stopsOf({ stop }: ChatRequest, { most }: { most?: number } = {}): string[] | undefined {
  const stops = (typeof stop === 'string' ? [stop] : (stop ?? [])).filter((text) => text !== '');
  if (most !== undefined && stops.length > most)
    throw new RequestRefused(`This model can be told at most ${most} texts to stop at`, 'stop');
  return stops.length > 0 ? stops : undefined;
}
