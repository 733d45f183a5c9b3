import type { Server } from 'node:net';
import { z } from 'zod';

/** Where a service listens: a port, or the path of a Unix socket, which file permissions protect. */
export const listenSetting = z.union([
  z.coerce.number().int().min(0).max(65_535),
  z.string().startsWith('/', 'must be a port or the path of a Unix socket'),
]);
export type ListenAddress = z.output<typeof listenSetting>;

/** Connections that may wait while a process is busy or restarts; the system may allow fewer. */
const backlog = 4_096;

/** Listens at `address` on `host` (a path has no host), or on an inherited socket. Rejects on failure. */
export function listen(server: Server, at: { address: ListenAddress; host: string } | { fd: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE' && 'address' in at;
      reject(isTaken ? new Error(`${typeof at.address === 'string' ? '' : 'port '}${at.address} is taken`, { cause: error }) : error);
    });
    if ('fd' in at) server.listen(at, backlog, resolve);
    else if (typeof at.address === 'string') server.listen(at.address, backlog, resolve);
    else server.listen(at.address, at.host, backlog, resolve);
  });
}

/** The address for display: the assigned port, or the path. */
export function listenAddressOf(server: Server): ListenAddress {
  const address = server.address();
  return address === null || typeof address === 'string' ? (address ?? '') : address.port;
}
