import { closeEngines } from './engines.ts';

/** Root hooks (`mocha --require @tollgate/testing/mocha-hooks`): no engine outlives its test run. */
export const mochaHooks: Mocha.RootHookObject = {
  async afterAll(this: Mocha.Context) {
    this.timeout(30_000);
    await closeEngines();
  },
};
