import { timingSafeEqual } from 'node:crypto';

/** Compares with several values in constant time. */
export function isOneOf(given: Buffer, wanted: readonly Buffer[]): boolean {
  return wanted.some((each) => given.length === each.length && timingSafeEqual(given, each));
}
