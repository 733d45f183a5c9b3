import { expect } from 'chai';
import { type Attempt, type BreakerNews, type BreakerPlace, type Breakers, breakers } from '../src/routing/breaker.ts';

async function began(all: Breakers, channelId: number, nowMs: number): Promise<Attempt> {
  const attempt = await all.begin(channelId, 'm', nowMs);
  if (attempt === undefined) throw new Error('nobody may be asked now');
  return attempt;
}

async function fail(
  all: Breakers,
  channelId: number,
  { nowMs, times = 1, pauseMs = 0 }: { nowMs: number; times?: number; pauseMs?: number },
) {
  for (let call = 0; call < times; call += 1) all.failed(await began(all, channelId, nowMs), { nowMs, pauseMs });
}

const isOpen = (all: Breakers, nowMs: number, channelId = 1) => all.state(channelId, 'm', nowMs).isOpen;

describe('Breaker', () => {
  it('opens on many failures, lets one probe through, closes on its success', async () => {
    const all = breakers({ random: () => 0.5 });
    await fail(all, 1, { nowMs: 1000, times: 9 });
    expect(isOpen(all, 1000)).to.equal(false);
    await fail(all, 1, { nowMs: 1000 });
    expect(all.state(1, 'm', 1000)).to.include({ isOpen: true, reason: 'failing' });
    expect(all.state(1, 'other', 1000).isOpen).to.equal(false);
    expect(isOpen(all, 3001), 'half-open').to.equal(false);
    const probe = await began(all, 1, 3001);
    expect(isOpen(all, 3002), 'one probe at a time').to.equal(true);
    all.failed(probe, { nowMs: 3100 });
    expect(isOpen(all, 5200), 'twice as long').to.equal(true);
    all.ended(await began(all, 1, 7200));
    expect(isOpen(all, 7300), 'a probe without news gives the turn back').to.equal(false);
    all.succeeded(await began(all, 1, 7300), 7400);
    expect(isOpen(all, 7400)).to.equal(false);
  });

  it('stays closed when most calls succeed, and forgets what is long ago', async () => {
    const all = breakers();
    for (let call = 0; call < 100; call += 1) {
      await fail(all, 2, { nowMs: 1000 + call });
      for (let good = 0; good < 2; good += 1) all.succeeded(await began(all, 2, 1000 + call), 1000 + call);
    }
    expect(isOpen(all, 1100, 2)).to.equal(false);
    await fail(all, 3, { nowMs: 1000, times: 9 });
    await fail(all, 3, { nowMs: 60_000 });
    expect(isOpen(all, 60_000, 3)).to.equal(false);
    await fail(all, 4, { nowMs: 500, pauseMs: 2000 });
    expect(all.state(4, 'm', 600)).to.include({ isOpen: true, reason: 'limited', untilMs: 2500 });
    expect(all.states(600)).to.deep.equal({ failing: 0, limited: 1, halfOpen: 0 });
    expect(all.states(2600)).to.deep.equal({ failing: 0, limited: 0, halfOpen: 1 });
    all.forget(new Set([4]));
    expect(isOpen(all, 600, 4)).to.equal(false);
  });

  it('learns nothing from calls that began before it opened: they neither close it nor make its pause longer', async () => {
    const all = breakers({ random: () => 0.5 });
    const early = await Promise.all(Array.from({ length: 20 }, () => began(all, 1, 900)));
    await fail(all, 1, { nowMs: 1000, times: 10 });
    for (const attempt of early.slice(0, 15)) all.failed(attempt, { nowMs: 1500 });
    for (const attempt of early.slice(15)) all.succeeded(attempt, 1500);
    expect(all.state(1, 'm', 1600)).to.include({ isOpen: true, untilMs: 3000 });
  });

  it('tells what opens and closes once, hears the same of others, and probes only when it is its turn', async () => {
    const told: BreakerNews[] = [];
    let isOurTurn = false;
    const left: number[] = [];
    const peers = {
      tell: (news: BreakerNews) => void told.push(news),
      takeProbe: async () => isOurTurn,
      leaveProbe: ({ channelId }: BreakerPlace) => void left.push(channelId),
    };
    const ours = breakers({ peers, random: () => 0.5 });
    const theirs = breakers({ peers, random: () => 0.5 });
    await fail(ours, 1, { nowMs: 1000, times: 10 });
    expect(told).to.deep.equal([{ channelId: 1, keyId: 0, model: 'm', change: 'opened', reason: 'failing', leftMs: 2000, pauseMs: 2000 }]);
    theirs.hear(told[0] as BreakerNews, 51_000);
    expect(theirs.state(1, 'm', 51_500), 'on its own clock').to.include({ isOpen: true, reason: 'failing', untilMs: 53_000 });

    expect(await theirs.begin(1, 'm', 53_001), 'another one probes').to.equal(undefined);
    expect(isOpen(theirs, 53_100)).to.equal(true);
    expect(isOpen(theirs, 53_300), 'asks again soon').to.equal(false);
    isOurTurn = true;
    theirs.failed(await began(theirs, 1, 53_300), { nowMs: 53_400 });
    expect(told[1], 'the pause doubles over all').to.include({ change: 'opened', leftMs: 4000, pauseMs: 4000 });
    theirs.succeeded(await began(theirs, 1, 58_000), 58_100);
    expect(told[2]).to.deep.equal({ channelId: 1, keyId: 0, model: 'm', change: 'closed' });
    expect(left).to.deep.equal([1, 1]);
    expect(told).to.have.length(3);
    ours.hear(told[2] as BreakerNews, 2_500);
    expect(isOpen(ours, 2_500)).to.equal(false);
  });

  it('opens for one of several keys at once when it is refused, for all models, and never for its neighbors', async () => {
    const all = breakers({ random: () => 0.5 });
    const begin = async (keyId: number, nowMs: number, model = 'm') => (await all.begin(1, model, nowMs, keyId)) as Attempt;
    all.failed(await begin(1, 1000), { nowMs: 1000, isRefused: true });
    expect(all.state(1, 'm', 1000, 1)).to.include({ isOpen: true, reason: 'refused' });
    expect(all.state(1, 'other', 1000, 1).isOpen, 'for all models').to.equal(true);
    expect([all.state(1, 'm', 1000, 2).isOpen, all.state(1, 'm', 1000).isOpen]).to.deep.equal([false, false]);
    const probe = await begin(1, 3001, 'other');
    expect([probe.isProbe, probe.model]).to.deep.equal([true, '']);
    all.succeeded(probe, 3100);
    expect(all.state(1, 'm', 3100, 1).isOpen).to.equal(false);
  });

  it('opens for one of several keys after three failures in a row or one refusal by rate, and rests it for a minute at most', async () => {
    const all = breakers({ random: () => 1 });
    const failKey = async (keyId: number, nowMs: number, isLimited = false) =>
      all.failed((await all.begin(1, 'm', nowMs, keyId)) as Attempt, { nowMs, isLimited });
    await failKey(1, 1000);
    await failKey(1, 1000);
    all.succeeded((await all.begin(1, 'm', 1000, 1)) as Attempt, 1000);
    await failKey(1, 1000);
    await failKey(1, 1000);
    expect(all.state(1, 'm', 1000, 1).isOpen).to.equal(false);
    await failKey(1, 1000);
    expect(all.state(1, 'm', 1000, 1)).to.include({ isOpen: true, reason: 'failing' });
    await failKey(2, 1000, true);
    expect(all.state(1, 'm', 1000, 2)).to.include({ isOpen: true, reason: 'limited' });
    for (let nowMs = 100_000; nowMs < 1e6; nowMs += 100_000) await failKey(2, nowMs, true);
    expect(all.state(1, 'm', 900_000 + 59_999, 2).isOpen).to.equal(true);
    expect(all.state(1, 'm', 900_000 + 60_000, 2).isOpen).to.equal(false);
    const served = (await all.begin(1, 'm', 1000, 3)) as Attempt;
    all.succeeded(served, 1000);
    all.pause(served, 1000, 5_000);
    expect(all.state(1, 'm', 1000, 3)).to.include({ isOpen: true, reason: 'limited', untilMs: 6000 });
  });
});
