import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { repository } from '../repository.ts';

const shown = z.strictObject({ file: z.string(), title: z.string().min(1) });
const about = { id: z.string().regex(/^[AB][1-9]\.\d+$/), text: z.string().min(1) };
/** A statement is shown by tests, or the product deviates from it for a reason. */
const statement = z.union([
  z.strictObject({ ...about, tests: z.array(shown).min(1) }),
  z.strictObject({ ...about, deviation: z.string().min(40) }),
]);

describe('The ledger of statements', () => {
  const file = join(repository, 'docs/spec/statements.json');
  const statements = z.array(statement).parse(JSON.parse(readFileSync(file, 'utf8')));

  it('holds every section of both specifications, each statement once', () => {
    const ids = statements.map(({ id }) => id);
    expect(new Set(ids).size).to.equal(ids.length);
    expect(ids.length).to.be.at.least(569);
    const sections = new Set(ids.map((id) => id.split('.')[0]));
    expect([...sections]).to.deep.equal([...'AB'].flatMap((part) => [...'123456789'].map((section) => part + section)));
  });

  it('names tests that exist, by file and title', () => {
    const titles = new Map<string, Set<string>>();
    const missing = statements
      .flatMap((each) => ('tests' in each ? each.tests : []))
      .filter(({ file: path, title }) => {
        const known = titles.get(path) ?? titlesIn(path);
        titles.set(path, known);
        return !known.has(title);
      });
    expect(missing).to.deep.equal([]);
  });
});

/** The titles of the tests in a file, as its source spells them. */
function titlesIn(path: string): Set<string> {
  const full = join(repository, path);
  if (!existsSync(full)) return new Set();
  const calls = readFileSync(full, 'utf8').matchAll(/\bit\(\s*(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)/g);
  return new Set([...calls].map(([, single, double, template]) => (single ?? double ?? template ?? '').replaceAll("\\'", "'")));
}
