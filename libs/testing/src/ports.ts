import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { GuardedChild } from './guarded-child.ts';

/**
 * A loopback port that nobody listens on right now, and that no outgoing connection is given by the kernel: those rest for a minute
 * after use, and an engine that a test kills must come back on its port.
 */
export function freePort(): Promise<number> {
  return freePortsInARow(1);
}

/** The first of so many such ports in a row. */
export async function freePortsInARow(count: number): Promise<number> {
  for (;;) {
    const first = 26_000 + Math.floor(Math.random() * 6_000);
    const ports = Array.from({ length: count }, (_, at) => first + at);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
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
