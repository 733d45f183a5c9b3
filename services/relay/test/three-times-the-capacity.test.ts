import { expect } from 'chai';
import { callMs, type Load, playCalls, type Told } from './support/simulated-loop.ts';

/** Counted when the burst that is served whole is over. */
const [warmUpMs, countedMs] = [7_000, 9_000];

describe('Three times the calls that a process can serve', () => {
  for (const { title, starved } of [
    { title: 'on a core of its own', starved: undefined },
    { title: 'on a core that it shares', starved: { sliceMs: 4, awayMs: 6 } },
    { title: 'where it gets no CPU time now and then for longer than calls may queue', starved: { sliceMs: 600, awayMs: 400 } },
    { title: 'where others have the core for most of the time', starved: { sliceMs: 30, awayMs: 100 } },
  ]) {
    it(`${title}: who is accepted is served within twice the usual time, most of what can be done is done, and a quiet caller is not refused`, async () => {
      const share = starved === undefined ? 1 : starved.sliceMs / (starved.sliceMs + starved.awayMs);
      const capacity = (share * 1_000) / callMs;
      const normal = await played({ perSecond: [capacity * 0.65, capacity * 0.05], starved });
      const over = await played({ perSecond: [capacity * 2.95, capacity * 0.05], starved });
      const served = over.filter(({ isServed }) => isServed);
      expect(
        normal.every(({ isServed }) => isServed),
        'nobody is refused when there is little to do',
      ).to.equal(true);
      expect(p99(served) / p99(normal), 'p99 of who is accepted, to the usual').to.be.below(2);
      expect((served.length * 1_000) / countedMs, 'served in a second').to.be.above(capacity * 0.8);
      expect(refusedOf(over, 1), 'refused, of the calls of one who asks for little').to.be.at.most(0.01);
    });
  }
});

async function played(load: Omit<Load, 'durationMs'>): Promise<Told[]> {
  const told = await playCalls({ ...load, durationMs: warmUpMs + countedMs });
  return told.filter(({ comesAt }) => comesAt >= warmUpMs);
}

function refusedOf(told: Told[], of: number): number {
  const calls = told.filter(({ user }) => user === of);
  return calls.filter(({ isServed }) => !isServed).length / calls.length;
}

function p99(told: Told[]): number {
  const times = told.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] as number;
}
