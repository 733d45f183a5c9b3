import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { z } from 'zod';
import { usageRecorded } from '../src/index.ts';

interface Shape {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  maxLength?: number;
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
}

/** The event as the release that is installed somewhere reads it: never changed, only joined by the shape of a later version. */
const released = JSON.parse(readFileSync(new URL('fixtures/usage-recorded-1.json', import.meta.url), 'utf8')) as Shape;

describe('the events of the release before', () => {
  const present = z.toJSONSchema(usageRecorded, { io: 'input' }) as Shape;

  it('are read by this one: it requires nothing that they may lack', () => {
    expect(missingIn(released, present)).to.deep.equal([]);
  });

  it('are what this one still writes, for the release before to read: nothing that it requires is gone or of another kind', () => {
    expect(missingIn(present, released)).to.deep.equal([]);
    expect(changedKinds(released, present)).to.deep.equal([]);
  });
});

/** Paths of what `reader` requires and `writer` need not write. */
function missingIn(writer: Shape, reader: Shape, path = ''): string[] {
  const written = new Set(writer.required ?? []);
  return Object.entries(reader.properties ?? {}).flatMap(([name, shape]) => {
    const here = `${path}${name}`;
    if (reader.required?.includes(name) && !written.has(name)) return [here];
    const other = writer.properties?.[name];
    return other ? missingIn(other, shape, `${here}.`) : [];
  });
}

/** Paths of what the two understand differently. Words that are added to a list are not read by who does not know them. */
function changedKinds(before: Shape, now: Shape, path = ''): string[] {
  return Object.entries(before.properties ?? {}).flatMap(([name, shape]) => {
    const here = `${path}${name}`;
    const other = now.properties?.[name];
    if (!other) return before.required?.includes(name) ? [here] : [];
    const isOther =
      shape.type !== other.type || shape.const !== other.const || (other.enum ?? []).some((word) => shape.enum?.includes(word) === false);
    return isOther ? [here] : changedKinds(shape, other, `${here}.`);
  });
}
