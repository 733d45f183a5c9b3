import { exposeGauge, metrics } from '@tollgate/runtime';
import { expect } from 'chai';

describe('a gauge that is read when somebody looks', () => {
  const shown = async (name: string) => (await metrics.getSingleMetricAsString(name)).split('\n').at(-1);

  it('shows what its source says now; the last source of a name is the one that is asked', async () => {
    let value = 3;
    exposeGauge('things', 'Things', () => value);
    expect(await shown('things')).to.equal('things 3');
    value = 4;
    expect(await shown('things')).to.equal('things 4');
    exposeGauge('things', 'Things', async () => 5);
    expect(await shown('things')).to.equal('things 5');
  });

  it('shows a source that fails or is silent as unknown, not as the figure before', async () => {
    let read: () => number | Promise<number> = () => 0;
    exposeGauge('owed', 'Owed', () => read());
    expect(await shown('owed')).to.equal('owed 0');
    read = () => {
      throw new Error('the engine is away');
    };
    expect(await shown('owed')).to.equal('owed Nan');
    read = () => new Promise(() => undefined);
    expect(await shown('owed')).to.equal('owed Nan');
  });
});
