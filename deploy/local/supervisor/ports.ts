import { createServer } from 'node:net';
import { Refusal } from './refusal.ts';

/** Loopback ports that nobody uses right now, all different: they are held together before they are given back. */
export async function freePorts(count: number): Promise<number[]> {
  const held = await Promise.all(Array.from({ length: count }, () => hold(0, '127.0.0.1')));
  await Promise.all(held.map(({ release }) => release()));
  return held.map(({ port }) => port);
}

/** The port to serve on (a free one for 0). Throws Refusal that names the port and the setting when it cannot be had. */
export async function publicPort(port: number, host: string): Promise<number> {
  try {
    const held = await hold(port, host);
    await held.release();
    return held.port;
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

function hold(port: number, host: string): Promise<{ port: number; release(): Promise<void> }> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const release = () => new Promise<void>((done) => server.close(() => done()));
      resolve({ port: typeof address === 'object' && address ? address.port : port, release });
    });
  });
}
