import { lookup } from 'node:dns/promises';
import { BoundSocket } from 'node:net';
import { type FallbackServer, fallbackServer } from './fallback-server.ts';
import { Refusal } from './refusal.ts';

/** EAFNOSUPPORT: an IPv6 address where there is none. EINVAL: one of a link, without the link. */
const addressFaults = ['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAFNOSUPPORT', 'EINVAL'];

/**
 * The socket of the public port. Every relay listens on it by the descriptor that it inherits; the supervisor keeps it open for as long
 * as it runs and accepts connections only while no relay does (`FallbackServer`).
 */
export interface PublicPort extends FallbackServer {
  port: number;
  fd: number;
}

/** Opens it (on a free port for 0). Throws Refusal that names the port and the setting when it cannot be had. */
export async function openPublicPort(port: number, host: string): Promise<PublicPort> {
  try {
    const { address } = await lookup(host);
    const socket = new BoundSocket({ host: address, port });
    const fallback = fallbackServer();
    return {
      port: socket.address().port,
      fd: socket.fd(),
      follow: fallback.follow,
      close() {
        fallback.close();
        socket[Symbol.dispose]();
      },
    };
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (addressFaults.includes(code))
      throw new Refusal(`This machine has no address ${host}. The setting is HOST, for example: HOST=127.0.0.1 npm start`);
    throw new Refusal(
      `${reasonFor(code, { port, host }) ?? message} The setting is PORT (and HOST), for example: PORT=${anotherThan(port)} npm start`,
    );
  }
}

/** Below 1024 and beyond 65535 the next one would not do either. */
function anotherThan(port: number): number {
  return port >= 1_024 && port < 65_535 ? port + 1 : 3_000;
}

function reasonFor(code: string | undefined, { port, host }: { port: number; host: string }): string | undefined {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is taken by another program.`;
  if (code === 'EACCES') return `This user may not listen on port ${port}.`;
  return undefined;
}
