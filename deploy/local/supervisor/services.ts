import { request } from 'node:http';
import { join } from 'node:path';
import { type ProcessSpec, Waits } from './managed-process.ts';
import { repository } from './settings.ts';

const readyWithinMs = 2_000;
/** A service that is busy to the brim is slow to say that it lives. */
const livesWithinMs = 5_000;

/**
 * The young heap, in MB. Half of Node's own size takes a quarter less memory in a busy process; the relay, whose calls are open for long
 * enough to outlive a small one, pays an eighth of its time for that, and has all of it (bench/RESULTS.md). The same: docker/Dockerfile.
 */
const youngHeap: Record<string, number> = { relay: 32 };
const usualYoungHeap = 16;

function nodeFlags(folder: string): string[] {
  return ['--disable-warning=ExperimentalWarning', `--max-semi-space-size=${youngHeap[folder] ?? usualYoungHeap}`];
}

/** One process of a service. `socket` is where it answers /readyz. */
export function serviceSpec(service: {
  name: string;
  folder: string;
  socket: string;
  env: Record<string, string>;
  inherits?: number[] | undefined;
  launched?: ProcessSpec['launched'];
  liveTimeoutMs: number;
}): ProcessSpec {
  const { name, folder, socket, env, inherits, launched, liveTimeoutMs } = service;
  return {
    name,
    kind: 'service',
    env,
    socket,
    inherits,
    launched,
    command: process.execPath,
    args: [...nodeFlags(folder), join(repository, 'services', folder, 'src/main.ts')],
    address: socket,
    probe: () => probeReady(socket),
    life: { probe: () => ask(socket, '/livez', livesWithinMs), timeoutMs: liveTimeoutMs },
  };
}

/** Throws unless the service on this socket says that it is ready; Waits when it says what it waits for. */
export function probeReady(socketPath: string): Promise<void> {
  return ask(socketPath, '/readyz', readyWithinMs);
}

function ask(socketPath: string, path: string, withinMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path, timeout: withinMs, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body = (body + chunk.toString()).slice(0, 500);
      });
      response.once('end', () => {
        const waitsFor = /^waits for (.+)\n/.exec(body)?.[1];
        if (response.statusCode === 200) resolve();
        else if (waitsFor !== undefined) reject(new Waits(waitsFor));
        else reject(new Error(`${path} answers ${response.statusCode} ${body}`));
      });
      response.once('error', reject);
    });
    call.once('timeout', () => call.destroy(new Error(`${path} does not answer within ${withinMs / 1000} s`)));
    call.once('error', reject);
    call.end();
  });
}
