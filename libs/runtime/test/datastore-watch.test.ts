import { DatastoreAway } from '@tollgate/contracts';
import { eventually } from '@tollgate/testing';
import { expect } from 'chai';
import { watchDatastores } from '../src/index.ts';

describe('A datastore that is watched', () => {
  it('is waited for while it is slow, but for no second, and counts as down after three', async () => {
    let answer = Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const away: [string, boolean][] = [];
    let looks = 0;
    const datastores = watchDatastores(
      { Redis: () => answer, MongoDB: async () => undefined },
      { logger: { warn: () => undefined }, onAway: (name, isSilent) => away.push([name, isSilent]), onSlow: () => (looks += 1) },
    );
    expect(await datastores.guard('Redis', async () => 7)).to.equal(7);
    answer = promise;
    const waited = async (): Promise<number> => {
      const since = performance.now();
      expect(await datastores.guard('Redis', () => promise).catch((error: Error) => error)).to.be.instanceOf(DatastoreAway);
      return performance.now() - since;
    };
    expect(await waited()).to.be.at.least(690);
    expect(datastores.away.size).to.equal(0);
    expect(await waited()).to.be.at.least(790);
    expect(away).to.deep.equal([]);
    await eventually(() => expect(away).to.deep.equal([['Redis', true]]));
    expect(looks).to.be.above(10);
    expect(await datastores.guard('MongoDB', async () => 8)).to.equal(8);
    answer = Promise.resolve();
    resolve();
    await eventually(() => expect(datastores.away.size).to.equal(0));
    await datastores.stop();
  });

  it('loses no work when it only stalls for a moment', async () => {
    const datastores = watchDatastores(
      { Redis: () => new Promise((resolve) => setTimeout(resolve, 750)) },
      { logger: { warn: () => undefined } },
    );
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await datastores.guard('Redis', () => new Promise((resolve) => setTimeout(() => resolve(7), 500)))).to.equal(7);
    expect(datastores.away.size).to.equal(0);
    await datastores.stop();
  });
});
