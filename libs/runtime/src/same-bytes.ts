import { timingSafeEqual } from 'node:crypto';

/** Whether what was given is one of these; how long it takes says nothing of how nearly it was. */
export function isOneOf(given: Buffer, wanted: readonly Buffer[]): boolean {
  return wanted.some((each) => given.length === each.length && timingSafeEqual(given, each));
}
