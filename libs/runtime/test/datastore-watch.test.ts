import { DatastoreAway } from '@tollgate/contracts';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { watchDatastores } from '../src/index.ts';

describe('A datastore that is watched', () => {
  it('counts as down within a second of silence, and its connection as dead after three', async () => {
    let answer = Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const away: [string, boolean, number][] = [];
    let silentAt = performance.now();
    const datastores = watchDatastores(
      { Redis: () => answer, MongoDB: async () => undefined },
      { logger: { warn: () => undefined }, onAway: (name, isSilent) => away.push([name, isSilent, performance.now() - silentAt]) },
    );
    expect(await datastores.guard('Redis', async () => 7)).to.equal(7);
    answer = promise;
    silentAt = performance.now();
    const waited = await datastores.guard('Redis', () => promise).catch((error: Error) => error);
    expect(waited).to.be.instanceOf(DatastoreAway);
    expect([...datastores.away]).to.deep.equal(['Redis']);
    await eventually(() =>
      expect(away.map(([name, isSilent]) => [name, isSilent])).to.deep.equal([
        ['Redis', false],
        ['Redis', true],
      ]),
    );
    const [[, , slowMs], [, , deadMs]] = away as [[string, boolean, number], [string, boolean, number]];
    expect(slowMs).to.be.at.least(690);
    expect(deadMs - slowMs).to.be.at.least(2_200);
    expect(await datastores.guard('MongoDB', async () => 8)).to.equal(8);
    answer = Promise.resolve();
    resolve();
    await eventually(() => expect(datastores.away.size).to.equal(0));
    await datastores.stop();
  });
});
