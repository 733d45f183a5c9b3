import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { errorCatalogue, optionRegistry, routes } from '../src/index.ts';

const source = join(import.meta.dirname, '../src');

/** What is put together of the files of a folder: of two of one name the later one would win without a word. */
const wholes = [
  { folder: 'errors', parts: /Errors$/, whole: errorCatalogue },
  { folder: 'options', parts: /^(?!is).*Options$/, whole: optionRegistry },
  { folder: 'api', parts: /Routes$/, whole: routes },
];

describe('what is put together of several files', () => {
  for (const { folder, parts, whole } of wholes)
    it(`has each name of ${folder}/ once, and all of them`, async () => {
      const found = new Set<object>(); // an index says them again
      for (const file of readdirSync(join(source, folder))) {
        const exported: Record<string, object> = await import(join(source, folder, file));
        for (const [name, part] of Object.entries(exported)) if (parts.test(name)) found.add(part);
      }
      const names = [...found].flatMap((part) => Object.keys(part));
      expect(
        names.filter((name, place) => names.indexOf(name) !== place),
        'in two files',
      ).to.deep.equal([]);
      expect(names).to.have.members(Object.keys(whole));
    });
});
