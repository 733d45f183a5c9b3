import { taskFailed, usageRecorded } from '@tollgate/contracts';
import { usageEvent } from '@tollgate/testing';
import { expect } from 'chai';
import { z } from 'zod';
import { type PlainCheck, plainCheck } from '../src/plain-check.ts';

type Json = Record<string, unknown>;

const full = {
  ...usageEvent({ id: 'call-1', userId: 7 }),
  reasoningEffort: 'high',
  cachedAudio: 0,
  sessionId: 'session',
  endedFor: 'sensitive',
  budgets: [{ id: '65f', unit: 'quota', from: 0, until: 3_600_000 }],
  items: [{ kind: 'pictures', amount: 2, price: 0.04 }],
};
const task = { version: 1, id: 'task-1', userId: 7, at: 1 };

/** Values that JSON can express. */
const hostile = [
  0,
  1,
  -1,
  1.5,
  2 ** 53,
  Infinity,
  -0,
  '',
  'x',
  'x'.repeat(65),
  '1',
  'chat',
  true,
  false,
  null,
  [],
  [1],
  [1.5],
  ['1'],
  {},
  { a: 1 },
];

/**
 * Variants of the value: each field, at any depth, removed, replaced by another field's value or by a hostile value; and one with an extra
 * field.
 */
function* variants(value: unknown): Iterable<unknown> {
  yield* hostile;
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) for (const other of variants(each)) yield value.with(at, other);
    yield [...value, ...value];
    return;
  }
  for (const [name, held] of Object.entries(value)) {
    const { [name]: _, ...rest } = value as Json;
    yield rest;
    yield { ...rest, further: held };
    for (const other of variants(held)) yield { ...value, [name]: other };
  }
  for (const name of ['further', 'constructor', 'toString']) yield { ...value, [name]: 1 };
  yield JSON.parse(`{"__proto__":1,${JSON.stringify(value).slice(1)}`);
}

describe('the quick look at an event', () => {
  for (const [name, schema, good] of [
    ['usage.recorded', usageRecorded, full],
    ['task.failed', taskFailed, task],
  ] as const) {
    it(`takes nothing of ${name} that its schema would refuse or change`, () => {
      const isPlain = plainCheck(schema) as PlainCheck;
      expect(isPlain(good)).to.equal(true);
      let taken = 0;
      for (const variant of variants(good)) {
        const read = schema.safeParse(variant);
        if (!isPlain(variant)) continue;
        taken += 1;
        expect(read.data, JSON.stringify(variant)).to.deep.equal(variant);
      }
      expect(taken).to.be.greaterThan(0);
    });

    it(`has ${name} read by its schema only where a field is wrong or unknown`, () => {
      const isPlain = plainCheck(schema) as PlainCheck;
      for (const variant of variants(good)) {
        const read = schema.safeParse(variant);
        const isKept = read.success && Object.keys(read.data).length === Object.keys(variant as Json).length;
        if (isKept) expect(isPlain(variant), JSON.stringify(variant)).to.equal(true);
      }
    });
  }

  it('leaves to its schema what it cannot tell', () => {
    const unknown = {
      made: z.string().transform((text) => text.length),
      given: z.string().default('x'),
      refined: z.int().refine((value) => value % 2 === 0),
      together: z.object({ a: z.int() }).refine(({ a }) => a > 1),
      coerced: z.coerce.number(),
      formed: z.uuid(),
      either: z.union([z.string(), z.int()]),
      trimmed: z.string().trim(),
    };
    for (const [name, schema] of Object.entries(unknown)) {
      expect(plainCheck(schema), name).to.equal(undefined);
      expect(plainCheck(z.object({ list: z.array(z.object({ value: schema.optional() })) })), name).to.equal(undefined);
    }
  });
});
