import { errorCatalogue, type Route, type RouteName, routeNames, routes } from '@tollgate/contracts';
import { AuditLog } from '@tollgate/db';
import { expect } from 'chai';
import type { z } from 'zod';
import { type Sent, startWorld, type World } from './support/world.ts';

const contractOf = (name: RouteName): Route => routes[name];
const isWrite = (name: RouteName): boolean => !name.startsWith('GET ');
const isAdmins = (name: RouteName): boolean => ['admin', 'root'].includes(contractOf(name).access);

describe('the contract of the routes', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  it('refuses every wrong shape by name, and nothing comes of it', async function () {
    this.timeout(120_000); // for a busy machine
    const wrong = routeNames.flatMap((name) => wrongShapes(name).map((sent) => ({ name, sent })));
    expect(wrong).to.have.length.at.least(200);
    const before = await world.rows();
    for (const { name, sent } of wrong) {
      const reply = await world.ask(name, sent);
      const what = `${name} ${JSON.stringify(sent).slice(0, 120)}: ${reply.status} ${reply.message}`;
      expect(reply.success, what).to.equal(false);
      expect(reply.status, what).to.be.within(200, 499);
      expect(reply.message, what).not.to.equal('');
      expect(errorCatalogue, what).to.have.property(reply.code ?? '');
      expect(errorCatalogue[reply.code as keyof typeof errorCatalogue].status, what).to.be.below(500);
    }
    expect(await world.rows()).to.deep.equal(before);
  });

  for (const name of routeNames) {
    const { raw, unaudited, needs } = contractOf(name);
    const isAudited = isAdmins(name) && isWrite(name);
    if (needs !== undefined) {
      it(`${name} refuses its example while there is not ${needs}`, async () => {
        await world.restore();
        const before = await world.rows();
        const reply = await world.ask(name);
        expect(reply).to.include({ status: 200, success: false });
        expect(errorCatalogue).to.have.property(reply.code ?? '');
        expect(await world.rows()).to.deep.equal(before);
      });
      continue;
    }
    it(`${name} answers its example as it says${isAudited && !unaudited ? ', and leaves a row in the audit log' : ''}`, async () => {
      await world.restore();
      const before = await AuditLog.countDocuments();
      // The fields of the answer are looked at in `expectAsContracted`, as in every test.
      const reply = await world.ask(name);
      expect(reply.status, reply.message).to.equal(200);
      if (raw === undefined) expect(reply.success, reply.message).to.equal(true);
      if (!isAudited) return;
      const rows = await AuditLog.find().sort({ _id: 1 }).skip(before).lean();
      if (unaudited) return void expect(rows, `unaudited, because ${unaudited}`).to.deep.equal([]);
      expect(rows, 'rows in the audit log').not.to.deep.equal([]);
      for (const row of rows) {
        expect(row).to.include({ actorId: 1, actorName: 'root' });
        expect(row.action).to.match(/^\w+\.\w+/);
        expect(row.target).not.to.equal('');
      }
    });
  }

  it('has an example wherever something must be sent', () => {
    for (const name of routeNames) {
      const { body, example } = contractOf(name);
      if (body) expect(example, name).to.have.property('body');
      if (name.includes(':')) expect(example, name).to.have.property('params');
    }
  });
});

const odd = [null, '', 'text', '\u0000', 'x'.repeat(200_000), -1, 1.5, 1e300, true, [], {}, ['x'], { a: 1 }];

/** What is wrong with a call in one place, and is else its example. */
function wrongShapes(name: RouteName): Partial<Sent>[] {
  const { body, query, params, example = {} } = contractOf(name);
  return [
    ...(body ? wrongBodies(body, example.body as Record<string, unknown>).map((each) => ({ body: each })) : []),
    ...(query ? wrongQueries(query) : []).map((each) => ({ query: each })),
    ...(name.includes(':id') && !params ? ['abc', '-1', '1.5', '0x1', '9'.repeat(30), '\u0000', ' '] : []).map((id) => ({
      params: { id },
    })),
  ];
}

function wrongBodies(schema: z.ZodType, example: Record<string, unknown>): unknown[] {
  const fields = Object.keys((schema as z.ZodObject).shape ?? example);
  const bodies = [
    undefined,
    [],
    '[1]',
    '"text"',
    '{"a":',
    ...Object.keys(example).map((field) => ({ ...example, [field]: undefined })),
    // Not every value in every field: with all fields together each has its turn.
    ...fields.flatMap((field, place) => odd.filter((_, index) => index % 3 === place % 3).map((value) => ({ ...example, [field]: value }))),
  ];
  return bodies.filter(
    (each) => typeof each === 'string' || !schema.safeParse(each === undefined ? each : JSON.parse(JSON.stringify(each))).success,
  );
}

/** Of a query, what stands there twice and what is too long. */
function wrongQueries(schema: z.ZodType): string[] {
  return Object.keys((schema as z.ZodObject).shape).flatMap((field) =>
    [[`x`, `y`], 'x'.repeat(5000)]
      .filter((value) => !schema.safeParse({ [field]: value }).success)
      .map((value) =>
        [value]
          .flat()
          .map((each) => `${field}=${each}`)
          .join('&'),
      ),
  );
}
