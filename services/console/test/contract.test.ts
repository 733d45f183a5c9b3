import { errorCatalogue, type Route, type RouteName, routeNames, routes } from '@tollgate/contracts';
import { AuditLog } from '@tollgate/db';
import { expect } from 'chai';
import { startWorld, type World } from './support/world.ts';
import { shapesOfEach, wrongShapes } from './support/wrong-shapes.ts';

const contractOf = (name: RouteName): Route => routes[name];
const isWrite = (name: RouteName): boolean => !name.startsWith('GET ');
const isAdmins = (name: RouteName): boolean => ['admin', 'root'].includes(contractOf(name).access);

describe('the contract of the routes', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  it('refuses two hundred wrong bodies and as many wrong queries of every route by name, and nothing comes of it', async function () {
    this.timeout(300_000); // for a busy machine
    const before = await world.rows();
    for (const name of routeNames) {
      const wrong = wrongShapes(name);
      const bodies = wrong.filter((sent) => 'body' in sent).length;
      const queries = wrong.filter((sent) => 'query' in sent).length;
      if (contractOf(name).body) expect(bodies, `bodies of ${name}`).to.be.at.least(shapesOfEach);
      if (queries > 0) expect(queries, `queries of ${name}`).to.be.at.least(shapesOfEach); // none: numbers of pages are taken as they come
      for (const sent of wrong) {
        const reply = await world.ask(name, sent);
        const what = `${name} ${JSON.stringify(sent).slice(0, 120)}: ${reply.status} ${reply.message}`;
        expect(reply.success, what).to.equal(false);
        expect(reply.status, what).to.be.within(200, 499);
        expect(reply.message, what).not.to.equal('');
        expect(errorCatalogue, what).to.have.property(reply.code ?? '');
        expect(errorCatalogue[reply.code as keyof typeof errorCatalogue].status, what).to.be.below(500);
      }
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
