import { pricedFields } from '@tollgate/contracts';

/**
 * A field's name as the most forgiving parser reads it: without case (Go's encoding/json), blanks and brackets (parsers of forms), in
 * compatibility form. Case goes both ways: some signs are another letter in one of them only.
 */
export function foldedName(name: string): string {
  const bare = name
    .normalize('NFKC')
    .replace(/\[[^\]]*\]?/g, '')
    .replace(/[\s\p{C}\]]/gu, '');
  return bare.toUpperCase().toLowerCase();
}

/** The fields that have a price of their own, which every check of names looks at. */
export const pricedNames: ReadonlySet<string> = new Set(pricedFields.map(({ field }) => field));
