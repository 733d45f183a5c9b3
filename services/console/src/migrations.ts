import type { Migration } from '@tollgate/db';
import { giveNameKeys } from './features/users/name-keys.ts';

/**
 * What was changed in the database since it has a version, in order; nothing is ever taken out or put between. The last one's version is
 * `schemaVersion` of `@tollgate/db`. How they are written so that no pod is disturbed: deploy/UPGRADES.md.
 */
export const migrations: readonly Migration[] = [
  { version: 1, name: 'the version is noted', run: async () => {} },
  { version: 2, name: 'user names are compared without case', run: giveNameKeys },
  { version: 3, name: 'user names are compared however their letters are encoded', run: giveNameKeys },
  { version: 4, name: 'user names are compared by what they look like', run: giveNameKeys },
];
