import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, faultClocks } from '@tollgate/testing';
import { expect } from 'chai';
import { identityOf, stillRuns } from '../bootstrap/process-identity.mjs';
import { type RunState, readRunState } from '../supervisor/run-state.ts';

const bootstrap = join(import.meta.dirname, '../bootstrap.mjs');
const readyTimeoutMs = 180_000;
/** Whatever the cores. */
const oneOfEach = { RELAY_PROCESSES: '1', BILLING_PROCESSES: '1' };

/** One command of `npm`, as a user's shell runs it. */
export interface Command {
  child: ChildProcess;
  output(): string;
  /** Resolves to the exit code. */
  ended: Promise<number>;
}

/** An installation in a folder of its own, with the commands a user has. */
export interface Installation {
  dataDir: string;
  run(args: string[], options?: { env?: Record<string, string>; input?: string }): Command;
  /** `npm start` until it says that it is ready. */
  start(env?: Record<string, string>): Promise<Command>;
  state(): RunState;
  pidOf(name: string): number;
  /** Kills whatever is left, and removes the folder. */
  remove(): Promise<void>;
}

export async function installation(): Promise<Installation> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-local-'));
  const seen = new Map<number, string>();
  const remember = () => {
    const state = readRunState(join(dataDir, 'run/state.json'));
    for (const { pid, identity } of state ? [state.supervisor, ...state.processes] : []) seen.set(pid, identity);
    return state;
  };

  const run: Installation['run'] = (args, { env = {}, input } = {}) => {
    const child = spawn(process.execPath, [bootstrap, ...args], {
      env: { ...cleanEnvironment(), ...faultClocks, ...oneOfEach, DATA_DIR: dataDir, PORT: '0', ENV_FILE: '/dev/null', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.end(input ?? '');
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    }
    const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
    return { child, output: () => output, ended };
  };

  const self: Installation = {
    dataDir,
    run,
    async start(env) {
      const command = run(['start'], { env });
      let hasEnded = false;
      void command.ended.then(() => {
        hasEnded = true;
      });
      await eventually(
        () => {
          if (!hasEnded) expect(command.output()).to.contain('Tollgate is ready');
        },
        { timeoutMs: readyTimeoutMs },
      );
      remember();
      if (hasEnded) throw new Error(`npm start ended:\n${command.output()}`);
      return command;
    },
    state() {
      const state = remember();
      if (!state) throw new Error('no supervisor has written its state yet');
      return state;
    },
    pidOf(name) {
      const found = self.state().processes.find((each) => each.name === name);
      if (!found) throw new Error(`there is no process ${name}`);
      return found.pid;
    },
    async remove() {
      remember();
      for (const [pid, identity] of seen) if (stillRuns({ pid, identity })) process.kill(pid, 'SIGKILL');
      await eventually(() => {
        for (const pid of seen.keys()) expect(identityOf(pid)).to.not.equal(seen.get(pid));
      });
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return self;
}

/** Everything that the installation's processes have written to their logs. */
export function logOf(dataDir: string, name: string): string {
  return readFileSync(join(dataDir, 'logs', `${name}.log`), 'utf8');
}

/** The environment of a user: without the settings that the test run itself was given. */
export function cleanEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
}
