import { join } from 'node:path';

/** The top folder of the sources. */
export const repository = join(import.meta.dirname, '..');
