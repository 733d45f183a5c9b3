import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { GuardedChild } from './guarded-child.ts';

/** A loopback port that nobody listens on right now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port'))));
    });
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
