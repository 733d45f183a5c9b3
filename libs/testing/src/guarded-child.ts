import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * A shell that outlives nothing: it starts the engine, prints its pid, and a watcher beside it kills the engine (and removes
 * its folder, `$1`) once our end of stdin closes. That happens when this process ends in whatever way, `kill -9` included.
 * When the engine alone ends, the watcher is told to go and the folder stays, so that a test can start the engine again.
 */
const guard = `
exec 3<&0 4>&1
folder=$1; shift
"$@" </dev/null 3<&- 4>&- &
engine=$!
echo "pid $engine" >&4
( cat <&3; trap '' TERM; kill -9 $engine; sleep 0.2; [ -z "$folder" ] || rm -rf -- "$folder" ) >/dev/null 2>&1 4>&- &
watcher=$!
wait $engine
code=$?
kill $watcher 2>/dev/null
exit $code
`;

/** One running engine process. */
export interface GuardedChild {
  pid: number;
  /** What it has printed lately, for error messages. */
  output(): string;
  hasExited(): boolean;
  /** Sends the signal and waits until the process is gone; after 10 s it is killed. */
  end(signal: NodeJS.Signals): Promise<void>;
}

interface ChildOptions {
  env?: Record<string, string>;
  /** Removed when this process ends in whatever way, also by `kill -9`. */
  ownedFolder?: string;
}

const alive = new Map<ChildProcess, { pid: number; folder?: string }>();
process.on('exit', () => {
  for (const { pid, folder } of alive.values()) {
    tryKill(pid, 'SIGKILL');
    if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
});

/** Starts an engine that cannot outlive this process. Throws when it cannot be started at all. */
export async function startGuarded(command: string, args: string[], options: ChildOptions = {}): Promise<GuardedChild> {
  const shell = spawn('/bin/sh', ['-c', guard, 'guard', options.ownedFolder ?? '', command, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  });
  shell.stdin.on('error', () => undefined); // the guard is gone: nothing is left to tell it
  let printed = '';
  let exited = false;
  const keep = (text: Buffer) => {
    printed = (printed + text.toString()).slice(-8192);
  };
  shell.stderr.on('data', keep);
  const gone = new Promise<void>((resolve) => {
    shell.once('exit', () => {
      exited = true;
      alive.delete(shell);
      resolve();
    });
  });
  const pid = await new Promise<number>((resolve, reject) => {
    shell.once('error', reject);
    shell.once('exit', () => reject(new Error(`${command} did not start: ${printed}`)));
    shell.stdout.on('data', (text: Buffer) => {
      keep(text);
      const found = /^pid (\d+)/m.exec(printed);
      if (found) resolve(Number(found[1]));
    });
  });
  alive.set(shell, { pid, folder: options.ownedFolder });
  // An engine left running must not keep a finished test process alive; `exit` above then takes it along.
  shell.unref();
  for (const stream of [shell.stdin, shell.stdout, shell.stderr]) (stream as unknown as { unref?(): void }).unref?.();
  return {
    pid,
    output: () => printed,
    hasExited: () => exited,
    async end(signal) {
      if (exited) return;
      shell.ref(); // whoever waits for its end must live to see it
      tryKill(pid, signal);
      await Promise.race([gone, delay(10_000, undefined, { ref: false }).then(() => tryKill(pid, 'SIGKILL'))]);
      await gone;
    },
  };
}

function tryKill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // gone already is what was wanted
  }
}
