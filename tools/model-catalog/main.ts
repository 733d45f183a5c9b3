import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { entriesFromModelsDev, overlaid } from '@tollgate/contracts/catalog';
import { repository } from '../repository.ts';

/**
 * Writes the catalog's list of models anew from files that are built like models.dev's `api.json`, later ones over earlier ones:
 * `node tools/model-catalog/main.ts 2026-11-26 api.json newer.json`. The first argument is the day on which they were read.
 */
const [read = '', ...files] = process.argv.slice(2);
if (!/^\d{4}-\d\d-\d\d$/.test(read) || files.length === 0) throw new Error('usage: main.ts <day read> <file>...');
const empty = { families: {}, models: [] };
const { models } = files
  .map((file) => ({ families: {}, models: entriesFromModelsDev(JSON.parse(readFileSync(file, 'utf8')), { read }) }))
  .reduce((all, next) => overlaid(all, next), { version: 1 as const, ...empty });
const lines = models.map((entry) => JSON.stringify(entry));
writeFileSync(
  join(repository, 'libs/contracts/src/data/catalog/models.json'),
  `{\n"_about": "Written by tools/model-catalog from a models.dev-like file; do not edit. What was looked up by hand stands in more-models.json.",\n"models": [\n${lines.join(',\n')}\n]\n}\n`,
);
