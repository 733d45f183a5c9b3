import type { Server } from 'node:net';
import { z } from 'zod';

/** Where a service listens: a port, or the path of a Unix socket, which whoever may open its folder may reach. */
export const doorSetting = z.union([
  z.coerce.number().int().min(0).max(65_535),
  z.string().startsWith('/', 'must be a port or the path of a Unix socket'),
]);
export type Door = z.output<typeof doorSetting>;

/** Calls that wait to be taken while a process is busy or started again; the system may allow fewer. */
const backlog = 4_096;

/** Opens the door: at `door` on `host` (a path has no host), or on a listening socket that this process inherited. Rejects when it cannot. */
export function listen(server: Server, at: { door: Door; host: string } | { fd: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' && 'door' in at;
      reject(isTaken ? new Error(`${typeof at.door === 'string' ? '' : 'port '}${at.door} is taken`, { cause: error }) : error);
    });
    if ('fd' in at) server.listen(at, backlog, resolve);
    else if (typeof at.door === 'string') server.listen(at.door, backlog, resolve);
    else server.listen(at.door, at.host, backlog, resolve);
  });
}

/** What is shown of where it listens: the port that was taken for 0, or the path. */
export function doorOf(server: Server): Door {
  const address = server.address();
  return address === null || typeof address === 'string' ? (address ?? '') : address.port;
}
