import { nameKeyOf } from '@tollgate/db';
import confusables from './confusables.json' with { type: 'json' };

const prototypes = new Map(Object.entries(confusables.prototypes).flatMap(([prototype, all]) => [...all].map((each) => [each, prototype])));

/**
 * What a user name looks like: two with the same skeleton cannot be told apart by eye. Case counts only once letters that look alike have become
 * one, as `I`, `l` and `1` do. https://www.unicode.org/reports/tr39/#def-skeleton
 */
export function skeletonOf(username: string): string {
  return prototypesOf(prototypesOf(username.normalize('NFKC')).toLowerCase());
}

function prototypesOf(text: string): string {
  return [...text.normalize('NFD')]
    .map((each) => prototypes.get(each) ?? each)
    .join('')
    .normalize('NFC');
}

/** A user name, and all by which it is compared with others. */
export function nameFields(username: string): { username: string; nameKey: string; nameSkeleton: string } {
  return { username, nameKey: nameKeyOf(username), nameSkeleton: skeletonOf(username) };
}
