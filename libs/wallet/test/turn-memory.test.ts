import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { byTurns } from '../src/turn.ts';

const bytes = 10_000;

describe('what was asked for in a turn', () => {
  it('is not kept once it is answered: young collections alone do away with it', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void;
    setFlagsFromString('--no-expose-gc');
    const ask = byTurns<{ userId: number; requestId: string; text: string }, number>(
      { atEnd: (run) => setImmediate(run) },
      { alone: async () => 0, together: async (asks) => asks.map(() => 0) },
    );
    const turns = async (count: number) => {
      for (let turn = 0; turn < count; turn += 1) {
        const asks = [1, 2].map((call) =>
          ask({ userId: 1, requestId: `${turn} ${call}`, text: Buffer.alloc(bytes, turn).toString('latin1') }),
        );
        await Promise.all(asks);
        collect({ type: 'minor' });
      }
    };
    await turns(20);
    collect({ type: 'major' });
    const before = oldBytes();
    await turns(200);
    expect(oldBytes() - before).to.be.below(20 * bytes);
  });
});

function oldBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? Number.NaN;
}
