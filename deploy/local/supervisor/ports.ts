import { createServer } from 'node:net';
import { Refusal } from './refusal.ts';

/** A loopback port that nobody uses right now. */
export async function freePort(): Promise<number> {
  return (await listenOnce(0, '127.0.0.1')) ?? 0;
}

/** The port to serve on (a free one for 0). Throws Refusal that names the port and the setting when it cannot be had. */
export async function publicPort(port: number, host: string): Promise<number> {
  try {
    return await listenOnce(port, host);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Refusal(
      `${reasonFor(code, { port, host }) ?? message} The setting is PORT (and HOST), for example: PORT=${port + 1} npm start`,
    );
  }
}

function reasonFor(code: string | undefined, { port, host }: { port: number; host: string }): string | undefined {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is taken by another program.`;
  if (code === 'EACCES') return `This user may not listen on port ${port}.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `This machine has no address ${host}.`;
  return undefined;
}

function listenOnce(port: number, host: string): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port));
    });
  });
}
