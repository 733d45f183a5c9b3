import { totalCap } from '@tollgate/contracts';
import { expect } from 'chai';
import { pageOf, rowsAndTotal, sliceOf, timedOut } from '../src/http/page.ts';

describe('The total of a list', () => {
  const tooSlow = () => Promise.reject(Object.assign(new Error('operation exceeded time limit'), { code: timedOut }));

  /** What the page `p` of ten tells of so many rows. */
  async function told(p: number, rowCount: number, count: () => Promise<number> = async () => rowCount) {
    const slice = sliceOf({ p });
    const { rows, total } = await rowsAndTotal(
      slice,
      async (limit) => Array.from({ length: Math.max(0, Math.min(limit, rowCount - slice.skip)) }, (_, i) => i),
      ({ limit }) => count().then((counted) => Math.min(counted, limit)),
    );
    const { items, total: shown, total_is_more: isMore } = pageOf(slice, rows, total);
    return [items.length, shown, isMore];
  }

  it('is exact where counting ends in time, or is not needed', async () => {
    expect(await told(1, 4_840)).to.deep.equal([10, 4_840, undefined]);
    for (const [p, rowCount, length] of [
      [1, 0, 0],
      [1, 10, 10],
      [1, 11, 10],
      [2, 13, 3],
      [484, 4_840, 10],
    ] as const) {
      expect(await told(p, rowCount, tooSlow), `page ${p} of ${rowCount}`).to.deep.equal([length, rowCount, undefined]);
    }
  });

  it('is exceeded for certain where the answer says that there are more, and leads to the next page', async () => {
    expect(await told(1, 12, tooSlow)).to.deep.equal([10, 11, true]);
    expect(await told(5, 4_840, tooSlow)).to.deep.equal([10, 51, true]);
    expect(await told(1, totalCap)).to.deep.equal([10, totalCap, undefined]);
    expect(await told(1, totalCap + 1)).to.deep.equal([10, totalCap, true]);
  });
});
