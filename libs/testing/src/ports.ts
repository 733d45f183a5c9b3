import { connect, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { GuardedChild } from './guarded-child.ts';

const firstOfAll = 26_000;
const blocks = 60; // below 32 768, where the ports of outgoing connections begin
const blockSize = 100;

let ours: Promise<number> | undefined;
let drawn = 0;

/**
 * A loopback port that nobody listens on, and that no outgoing connection is given by the kernel: those rest for a minute after use,
 * and an engine that a test kills must come back on its port. Nobody else is given it, here before 98 more draws, or in another
 * process that asks here, so it may be listened on long after.
 */
export function freePort(): Promise<number> {
  return freePortsInARow(1);
}

/** The first of so many such ports in a row (99 at most). */
export async function freePortsInARow(count: number): Promise<number> {
  ours ??= claimBlock();
  const block = await ours;
  const most = blockSize - 1;
  for (let tried = count; tried <= most; tried += count) {
    const at = drawn + count > most ? 0 : drawn;
    drawn = at + count;
    const ports = Array.from({ length: count }, (_, next) => block + 1 + at + next);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return block + 1 + at;
  }
  throw new Error(`no ${count} free ports in a row from ${block + 1} to ${block + most}`);
}

/** A hundred ports that are this process's as long as it lives, for it listens on the first of them. */
async function claimBlock(): Promise<number> {
  const start = Math.floor(Math.random() * blocks);
  for (let next = 0; next < blocks; next++) {
    const first = firstOfAll + ((start + next) % blocks) * blockSize;
    const claim = await listenOn(first);
    if (!claim) continue;
    claim.unref();
    return first;
  }
  throw new Error(`all ${blocks} blocks of ports from ${firstOfAll} on are taken`);
}

async function isFree(port: number): Promise<boolean> {
  const server = await listenOn(port);
  if (server) await new Promise((closed) => server.close(closed));
  return server !== undefined;
}

/** Nothing when somebody else listens there. */
function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** Waits until the port answers. Throws with the child's last output when the child ends or time runs out first. */
export async function untilListening(port: number, child: GuardedChild, timeoutMs = 30_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await accepts(port))) {
    if (child.hasExited()) throw new Error(`the engine on port ${port} ended: ${child.output()}`);
    if (Date.now() > deadline) throw new Error(`the engine on port ${port} did not listen in ${timeoutMs} ms: ${child.output()}`);
    await delay(20);
  }
}

/** Whether something on loopback takes connections on this port. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
