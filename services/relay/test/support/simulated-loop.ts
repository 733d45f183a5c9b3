import { openGate } from '../../src/admission/admission-control.ts';

/** What a process is asked to do, and what it has for it. Times in ms, costs in CPU time. */
export interface Load {
  /** Calls a second of each user, evenly spread. */
  perSecond: number[];
  durationMs: number;
  /** The machine gives the process `sliceMs` of CPU time, then others `awayMs`. */
  starved?: { sliceMs: number; awayMs: number } | undefined;
}

export interface Told {
  user: number;
  comesAt: number;
  isServed: boolean;
  tookMs: number;
}

interface Comer {
  user: number;
  comesAt: number;
  whenGone(): void;
}

interface Stream {
  comer: Comer;
  begunAt: number;
  frames: number;
}

/** To read a request, to begin a call that is let in, to pass on a frame. */
const costs = { request: 0.12, begin: 1.2, frame: 0.064 };
const [frames, frameMs] = [40, 6];
/** CPU time of a call that is served. */
export const callMs = costs.request + costs.begin + frames * costs.frame;

/**
 * Plays the event loop of a process that has little but the gate between it and its callers, in a time of its own: what becomes of each call does not
 * depend on the machine. Streams of 40 frames in a quarter of a second, as in the scene `overload` of the bench.
 */
export async function playCalls({ perSecond, durationMs, starved }: Load): Promise<Told[]> {
  let nowMs = 0;
  let cpuMs = 0;
  let looks: (() => void)[] = [];
  const told: Told[] = [];
  const streams = new Set<Stream>();
  const letIn: Comer[] = [];
  const gate = openGate<Comer>({
    queueMs: 100,
    burstMs: 5_000,
    busyMs: 10,
    fairnessKey: ({ user }) => user,
    onRefused: () => undefined,
    loop: { nowMs: () => nowMs, cpuMs: () => cpuMs, atEndOfTurn: (look) => void looks.push(look) },
  });

  function work(ms: number): void {
    if (starved !== undefined) nowMs += (Math.floor((cpuMs + ms) / starved.sliceMs) - Math.floor(cpuMs / starved.sliceMs)) * starved.awayMs;
    cpuMs += ms;
    nowMs += ms;
  }

  function tell({ user, comesAt }: Comer, isServed: boolean): void {
    told.push({ user, comesAt, isServed, tookMs: nowMs - comesAt });
  }

  function ask(comer: Comer): void {
    work(costs.request);
    try {
      const turn = gate.enter(comer);
      if (turn === undefined) letIn.push(comer);
      else void turn.then(() => letIn.push(comer)).catch(() => tell(comer, false));
    } catch {
      tell(comer, false);
    }
  }

  /** What has come of a stream by the time the turn began; what comes late comes together. */
  function passOn(stream: Stream, turnMs: number): void {
    const come = Math.min(frames, Math.floor((turnMs - stream.begunAt) / frameMs));
    work((come - stream.frames) * costs.frame);
    stream.frames = come;
    if (come < frames) return;
    streams.delete(stream);
    tell(stream.comer, true);
  }

  const asked = perSecond.map(() => 0);
  while (nowMs < durationMs) {
    const turnMs = nowMs;
    for (const [user, rate] of perSecond.entries()) {
      const due = Math.floor((turnMs * rate) / 1_000);
      for (let at = asked[user] ?? 0; at < due; at += 1) ask({ user, comesAt: (at * 1_000) / rate, whenGone: () => undefined });
      asked[user] = due;
    }
    for (const stream of streams) passOn(stream, turnMs);
    const looking = looks;
    looks = [];
    for (const look of looking) look();
    for (let step = 0; step < 4; step += 1) await undefined; // who waited hears of it
    for (const comer of letIn.splice(0)) {
      work(costs.begin);
      streams.add({ comer, begunAt: nowMs, frames: 0 });
    }
    if (nowMs === turnMs) work(looks.length > 0 ? 0.02 : 0.5); // a turn that finds nothing to do, or the wait for the next thing
  }
  return told;
}
