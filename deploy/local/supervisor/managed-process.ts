import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { identityOf } from '../bootstrap/process-identity.mjs';
import { guardedCommand, pidFromGuard } from './guard.ts';
import { kept, standsStill } from './life-watch.ts';
import type { Lifeline } from './lifeline.ts';
import { type LogSink, logSink } from './log-sink.ts';
import { Refusal } from './refusal.ts';
import type { ProcessRecord } from './run-state.ts';

const firstBackoffMs = 500;
const maxBackoffMs = 30_000;
/** What has worked for so long did not die of how it was started, and is started again at once. */
const stableAfterMs = 4_000;
const readyPollMs = 40;
const waitingPollMs = 500;
const readyTimeoutMs = 60_000;
const lastWordsMs = 300;
/** After the standard streams, the channel and the lifeline. */
export const firstInheritedFd = 5;

/** Thrown by a probe: the process works and waits for this datastore. It has started, and becomes ready by itself. */
export class Waits extends Error {}

/** What to run and how to tell that it works. */
export interface ProcessSpec {
  name: string;
  kind: 'engine' | 'service';
  command: string;
  args: string[];
  env: Record<string, string>;
  /** As shown by `npm run status`. */
  address: string;
  /** The Unix socket it listens on, which a process that was killed leaves behind. */
  socket?: string;
  /** Descriptors of ours that it gets, as `firstInheritedFd` and those after it. */
  inherits?: number[] | undefined;
  /** Called with each new process. */
  launched?: ((child: ChildProcess) => void) | undefined;
  /** Looks, before each start, whether it may be started. Throws Refusal. */
  before?(): Promise<void>;
  /** One attempt at a real round trip; throws while there is no answer, Waits when all that is missing is a datastore. */
  probe(): Promise<void>;
  /** How it says that it lives, and how long it may fail to before it is killed and started again. */
  life?: { probe(): Promise<void>; timeoutMs: number };
  /** What to do about a start that failed with these words, where that is known. */
  advice?(lastWords: string): string | undefined;
}

/** What all processes of one supervisor share. */
export interface Surroundings {
  logs: string;
  /** Its closing tells the engines that supervisor and services are gone. */
  lifeline: Lifeline;
  stopTimeoutMs: number;
  say(line: string): void;
  changed(): void;
}

/** A process that is started again when it dies, until `stop`. */
export interface ManagedProcess {
  record: ProcessRecord;
  /** Resolves when it is ready or waits for a datastore; throws Refusal with its last words when its first start fails. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Starts it again without a backoff, also while it waits for one: its sources changed. */
  restart(): void;
  /** Ends it at once, for a user who will not wait. */
  kill(): void;
}

export function managedProcess(spec: ProcessSpec, around: Surroundings): ManagedProcess {
  const record: ProcessRecord = {
    name: spec.name,
    kind: spec.kind,
    address: spec.address,
    pid: 0,
    identity: '',
    startedAt: 0,
    state: 'starting',
    restarts: 0,
  };
  const heldBack: string[] = []; // until it first works: the words of a failed start are told with the failure
  const tell = (line: string) => around.say(`${spec.name.padEnd(9)} ${line}`);
  const sink = logSink(around.logs, spec.name, (line) => (hasWorked ? tell(line) : heldBack.push(line)));
  let gone: Promise<string> = Promise.resolve('');
  let pidKnown: Promise<void> = Promise.resolve();
  let isStopping = false;
  let hasWorked = false;
  let failures = 0;
  let readyAt = 0;
  let isRestartRequested = false;
  let endBackoff = () => {};

  const enter = (state: ProcessRecord['state']) => {
    record.state = state;
    around.changed();
  };

  /** Starts it once. Resolves when it is ready, rejects when it ended (or stayed silent) before. */
  const launch = async () => {
    await spec.before?.();
    if (isStopping) throw new Error('is stopped before it begins');
    const { holder, reader } = around.lifeline;
    const { command, args } = spec.kind === 'engine' ? guardedCommand(spec) : spec;
    if (spec.socket) rmSync(spec.socket, { force: true });
    const [fourth, fifth] = spec.kind === 'engine' ? (['pipe', reader] as const) : (['ipc', holder] as const);
    const child = spawn(command, args, {
      detached: true, // Ctrl-C in the terminal is for the supervisor alone: it stops the others in order
      stdio: ['ignore', 'pipe', 'pipe', fourth, fifth, ...(spec.inherits ?? [])],
      env: spec.env,
    });
    spec.launched?.(child);
    gone = endOf(child, sink);
    pidKnown = learnPid(child);
    await pidKnown;
    const current = gone;
    const end = current.then((reason) => {
      throw new Error(reason);
    });
    end.catch(() => undefined);
    const waitsFor = await Promise.race([untilStarted(spec.probe, current), end]);
    readyAt = Date.now();
    if (waitsFor !== undefined) void becomeReady(waitsFor, current);
    else if (!isStopping) enter('ready');
    watch(current);
    return waitsFor === undefined;
  };

  const becomeReady = async (waitsFor: string, current: Promise<string>) => {
    const isGone = kept(current);
    around.say(`${spec.name} has started and waits for ${waitsFor}`);
    while (!isStopping && !isGone()) {
      const isReady = await spec.probe().then(
        () => true,
        () => false,
      );
      if (isStopping || isGone()) return;
      if (isReady) {
        around.say(`${spec.name} is ready`);
        return enter('ready');
      }
      await delay(waitingPollMs);
    }
  };

  const learnPid = async (started: ChildProcess) => {
    record.startedAt = Date.now();
    record.pid = (spec.kind === 'engine' ? await Promise.race([pidFromGuard(started), gone.then(() => 0)]) : started.pid) ?? 0;
    record.identity = identityOf(record.pid) ?? '';
    enter(isStopping ? 'stopping' : 'starting');
  };

  const watch = (current: Promise<string>) => {
    void current.then((reason) => {
      if (!isStopping) void restart(reason);
    });
    if (spec.life) void killFrozen(spec.life, current);
  };

  const killFrozen = async ({ probe, timeoutMs }: NonNullable<ProcessSpec['life']>, current: Promise<string>) => {
    if (!(await standsStill(probe, timeoutMs, current)) || isStopping) return;
    around.say(`${spec.name} has not said for ${timeoutMs / 1000} s that it lives, and is killed`);
    signal(record, 'SIGKILL');
  };

  const restart = async (reason: string): Promise<void> => {
    killRemains(record);
    const isNoFailure = isRestartRequested || (readyAt > 0 && Date.now() - readyAt > stableAfterMs);
    failures = isNoFailure ? 0 : failures + 1;
    isRestartRequested = false;
    readyAt = 0;
    const backoffMs = failures === 0 ? 0 : Math.min(firstBackoffMs * 2 ** (failures - 1), maxBackoffMs);
    record.restarts += 1;
    enter('waiting');
    around.say(`${spec.name} ${reason}; starting it again${backoffMs > 0 ? ` in ${backoffMs / 1000} s` : ''}`);
    await Promise.race([
      delay(backoffMs),
      new Promise<void>((resolve) => {
        endBackoff = resolve;
      }),
    ]);
    if (isStopping) return;
    try {
      if (await launch()) around.say(`${spec.name} works again (pid ${record.pid})`);
    } catch (error) {
      if (!isStopping) await restart((error as Error).message);
    }
  };

  const withLastWords = ({ message }: Error) => {
    const words = sink.stdout.tail();
    const advice = spec.advice?.(words);
    return `it ${message}. Its last words:\n${indent(words)}${advice === undefined ? '' : `\n${advice}`}`;
  };

  return {
    record,
    async start() {
      try {
        await launch();
        hasWorked = true;
        for (const line of heldBack.splice(0)) tell(line);
      } catch (error) {
        isStopping = true;
        throw new Refusal(`${spec.name} could not start: ${error instanceof Refusal ? error.message : withLastWords(error as Error)}`);
      }
    },
    async stop() {
      isStopping = true;
      if (record.state === 'stopped') return;
      enter('stopping');
      const timer = setTimeout(() => {
        around.say(`${spec.name} did not stop within ${around.stopTimeoutMs / 1000} s and is killed`);
        signal(record, 'SIGKILL');
      }, around.stopTimeoutMs);
      await pidKnown;
      signal(record, 'SIGTERM');
      await gone;
      clearTimeout(timer);
      killRemains(record);
      enter('stopped');
      sink.close();
    },
    restart() {
      if (isStopping) return;
      isRestartRequested = record.state !== 'waiting';
      endBackoff();
      signal(record, 'SIGTERM');
    },
    kill() {
      isStopping = true;
      signal(record, 'SIGKILL');
    },
  };
}

/** Resolves with the reason once the process is gone. */
function endOf(child: ChildProcess, sink: { stdout: LogSink; stderr: LogSink }): Promise<string> {
  child.stdout?.on('data', (chunk: Buffer) => sink.stdout.write(chunk));
  child.stderr?.on('data', (chunk: Buffer) => sink.stderr.write(chunk));
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be run (${error.message})`));
    child.once('exit', (code, signalName) => {
      const reason = signalName ? `was ended by ${signalName}` : `ended with exit code ${code}`;
      child.once('close', () => resolve(reason)); // its last words are read
      setTimeout(() => resolve(reason), lastWordsMs); // an engine that outlives its guard keeps the pipes open
    });
  });
}

/** Resolves to the datastore that it waits for; undefined: it is ready. */
async function untilStarted(probe: () => Promise<void>, gone: Promise<string>): Promise<string | undefined> {
  const deadline = Date.now() + readyTimeoutMs;
  const isGone = kept(gone);
  for (;;) {
    try {
      await probe();
      return undefined;
    } catch (error) {
      if (error instanceof Waits) return error.message;
      if (error instanceof Refusal || isGone()) throw error;
      if (Date.now() > deadline) throw new Error(`did not become ready within ${readyTimeoutMs / 1000} s (${(error as Error).message})`);
      await delay(readyPollMs);
    }
  }
}

/** What is left of an engine whose guard was killed. */
function killRemains(record: ProcessRecord): void {
  if (record.identity && identityOf(record.pid) === record.identity) signal(record, 'SIGKILL');
}

function signal(record: ProcessRecord, name: NodeJS.Signals): void {
  if (!record.pid || identityOf(record.pid) !== record.identity) return;
  try {
    process.kill(record.pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it went between our look and the signal
  }
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ');
}
