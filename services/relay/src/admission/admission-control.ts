import { AppError } from '@tollgate/runtime';
import type { Call } from '../context/call.ts';
import { CallerLeft } from '../context/errors.ts';

/** What the gate asks of a call. */
type Comer = Pick<Call, 'whenGone'>;

/** Lets new calls in at the pace at which this process gets on with those it has. */
export interface Gate<C extends Comer = Call> {
  /**
   * undefined: the call goes on at once; else it waits for its turn. Throws at once, or rejects when it has waited too long: AppError `overloaded`. Rejects:
   * CallerLeft.
   */
  enter(call: C): Promise<void> | undefined;
  /** How many calls wait. */
  readonly waiting: number;
}

interface GateOptions<C extends Comer> {
  /** How long a call may wait where more come than can be served ... */
  queueMs: number;
  /** ... which is so once calls have queued for so long. Many that come at once and then no more all get their turn. */
  burstMs: number;
  /** CPU time that one turn of the event loop may take before it takes in fewer calls. */
  busyMs: number;
  /** Whose call it is: of those who wait, each gets a turn after the other. */
  fairnessKey(call: C): string | number;
  onRefused(): void;
  loop?: Loop;
}

/** The event loop that calls are let into. */
interface Loop {
  nowMs(): number;
  /** CPU time of the thread. */
  cpuMs(): number;
  atEndOfTurn(look: () => void): void;
}

interface Waiting {
  call: Comer;
  /** By the clock, less the time that does not count. */
  sinceMs: number;
  resolve(): void;
  reject(error: Error): void;
}

const firstWindow = 64;
const widestWindow = 256;
/** Where no more begin in a turn, the turns are not measured: what they do does not come from new calls. */
const fewATurn = 4;
/** So many of those who have waited too long are refused in one turn: the rest of it is for calls. */
const refusedATurn = 32;
/** How often it is looked at how many calls begin. */
const paceMs = 250;

/**
 * So many calls may begin in one turn of the event loop as its window says. The window halves when a turn has taken more CPU time than `busyMs` and grows
 * when it has not: what is under way (answers, frames, bills) comes first, and new calls share what it leaves. CPU time, since on a busy machine the
 * clock tells what the neighbours do. A call that finds room costs a comparison, and the first of a turn an immediate.
 *
 * A process that others keep from its core, or that collects garbage, did not let anybody in: that is no reason to refuse whoever waited meanwhile, and least of all who asks
 * for less than his part. So a turn counts as half of `queueMs` of waiting at the most.
 *
 * Where more come than can be served, as many may wait as begin within `queueMs`, in equal parts of all who have a line; who comes beyond that is refused as
 * he comes. What it costs to let somebody wait and refuse him after all would be missing for those who are served.
 */
export function openGate<C extends Comer>({ queueMs, burstMs, busyMs, fairnessKey, onRefused, loop = thisLoop }: GateOptions<C>): Gate<C> {
  let lines = new Map<string | number, Waiting[]>();
  /** All of them who still wait, the oldest first. */
  const queue = new Set<Waiting>();
  let window = firstWindow;
  let begun = 0;
  let isTurning = false;
  /** When the turn began, by the clock and in CPU time; undefined: nobody waited then. */
  let before: { atMs: number; cpuMs: number } | undefined;
  /** Time that did not count as waiting: what a turn took beyond half of `queueMs`. */
  let stoppedMs = 0;
  const rush = openRush(burstMs);
  const pace = openPace(loop);
  const refusals = openRefusals();

  function wait(call: C): Promise<void> {
    const now = loop.nowMs();
    const key = fairnessKey(call);
    const line = lines.get(key);
    if (rush.isOn(now) && line !== undefined && line.length >= Math.max(1, (pace.perMs * queueMs) / lines.size)) {
      onRefused();
      throw refusals.next();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { call, sinceMs: now - stoppedMs, resolve, reject };
    queue.add(waiting);
    if (queue.size === 1) rush.waits(true, now);
    if (line === undefined) lines.set(key, [waiting]);
    else line.push(waiting);
    call.whenGone(() => {
      leave(waiting);
      reject(new CallerLeft());
    });
    return promise;
  }

  /** Who has waited since then or longer has waited too long. */
  function latestAt(now: number): number {
    return now - stoppedMs - (rush.isOn(now) ? queueMs : Math.max(queueMs, burstMs));
  }

  function leave(waiting: Waiting): void {
    queue.delete(waiting); // its line drops it when it comes to it
    waiting.call.whenGone(undefined);
    if (queue.size === 0) rush.waits(false, loop.nowMs());
  }

  /** The oldest call of the line whose turn it is, of those who have not waited too long; the line goes to the end of the round. */
  function next(latest: number): Waiting | undefined {
    for (const [key, line] of lines) {
      let first = line.shift();
      while (first !== undefined && (!queue.has(first) || first.sinceMs <= latest)) first = line.shift();
      lines.delete(key);
      if (line.length > 0) lines.set(key, line);
      if (first !== undefined) return first;
    }
    return undefined;
  }

  function refuseLate(latest: number): void {
    let most = refusedATurn;
    for (const waiting of queue) {
      if (waiting.sinceMs > latest || most === 0) return;
      most -= 1;
      leave(waiting);
      onRefused();
      waiting.reject(refusals.next());
    }
  }

  function turn(): void {
    isTurning = queue.size > 0 || begun > fewATurn;
    pace.add(begun);
    begun = 0;
    if (!isTurning) {
      if (lines.size > 0) lines = new Map(); // one that is cleared keeps what stood in it (byTurns in libs/wallet)
      pace.rest();
      before = undefined;
      window = Math.min(firstWindow, wider(window));
      return;
    }
    const now = { atMs: loop.nowMs(), cpuMs: loop.cpuMs() };
    if (before !== undefined) {
      window = now.cpuMs - before.cpuMs > busyMs ? Math.max(1, window >> 1) : wider(window);
      stoppedMs += Math.max(0, now.atMs - before.atMs - queueMs / 2);
    }
    before = now;
    const latest = latestAt(now.atMs);
    for (let first = next(latest); first !== undefined; first = begun < window ? next(latest) : undefined) {
      begun += 1;
      leave(first);
      first.resolve();
    }
    refuseLate(latest);
    loop.atEndOfTurn(turn);
  }

  return {
    enter(call) {
      if (!isTurning) {
        isTurning = true;
        loop.atEndOfTurn(turn);
      }
      if (queue.size > 0 || begun >= window) return wait(call);
      begun += 1;
      return undefined;
    },
    get waiting() {
      return queue.size;
    },
  };
}

/** How many calls begin in a millisecond, as it has been lately. */
function openPace(loop: Loop) {
  let perMs = 0;
  let begun = 0;
  let since: number | undefined;
  return {
    get perMs() {
      return perMs;
    },
    add(calls: number): void {
      const now = loop.nowMs();
      since ??= now;
      begun += calls;
      if (now - since < paceMs) return;
      const lately = begun / (now - since);
      perMs = perMs === 0 ? lately : (perMs + lately) / 2;
      begun = 0;
      since = now;
    },
    /** Nobody waits: what begins is what comes, not what could. */
    rest(): void {
      begun = 0;
      since = undefined;
    },
  };
}

/** Those who are refused together are not told to come back together. Made once: an error's stack costs more than the rest of a refusal. */
function openRefusals() {
  const errors = [1, 2, 3].map((seconds) => new AppError('overloaded', {}, { retryAfterSeconds: seconds }));
  let given = 0;
  return {
    next(): AppError {
      given += 1;
      return errors[given % errors.length] as AppError;
    },
  };
}

function wider(window: number): number {
  return Math.min(widestWindow, window + Math.max(1, window >> 3));
}

const thisLoop: Loop = {
  nowMs: () => performance.now(),
  cpuMs() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
  atEndOfTurn: (look) => void setImmediate(look),
};

/** Tells a burst of calls, which may wait until all are served, from a rush, in which nobody may wait for long. */
interface Rush {
  /** From now on somebody waits, or nobody does. */
  waits(isSomebody: boolean, nowMs: number): void;
  isOn(nowMs: number): boolean;
}

/**
 * A rush begins when somebody has waited for `burstMs` longer than nobody has, and is over when nobody has waited for as much longer than somebody has. Were
 * it over with the first gap in the queue, the next calls would be let wait for seconds like those of a burst: gaps come in the midst of a rush, since what a stream costs comes after
 * it has been let in, and since a process may get no CPU time for a while.
 */
export function openRush(burstMs: number): Rush {
  let isWaiting = false;
  let isOn = false;
  let sinceMs = 0;
  let stoodMs = 0;

  function look(nowMs: number): void {
    const passedMs = nowMs - sinceMs;
    sinceMs = nowMs;
    stoodMs = Math.min(burstMs, Math.max(0, stoodMs + (isWaiting ? passedMs : -passedMs)));
    if (stoodMs === burstMs) isOn = true;
    else if (stoodMs === 0) isOn = false;
  }

  return {
    waits(isSomebody, nowMs) {
      look(nowMs);
      isWaiting = isSomebody;
    },
    isOn(nowMs) {
      look(nowMs);
      return isOn;
    },
  };
}
