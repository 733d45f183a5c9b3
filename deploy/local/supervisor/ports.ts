import { createServer } from 'node:net';
import { Refusal } from './refusal.ts';

/**
 * Below the ports that the kernel gives to outgoing connections (from 32768 on Linux, 49152 elsewhere): one of those may be in use,
 * or rest for a minute after use, just when a process that died must listen on it again.
 */
const range = { first: 20_000, count: 6_000 };
const mostTries = 1_000;

/** Loopback ports that nobody uses right now, all different: they are held together before they are given back. */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const held: Held[] = [];
  for (let tries = 0; held.length < count; tries += 1) {
    try {
      held.push(await hold(range.first + Math.floor(Math.random() * range.count), host));
    } catch (error) {
      if (tries > mostTries || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
  await Promise.all(held.map(({ release }) => release()));
  return held.map(({ port }) => port);
}

/** The port to serve on (a free one for 0). Throws Refusal that names the port and the setting when it cannot be had. */
export async function publicPort(port: number, host: string): Promise<number> {
  try {
    if (port === 0) return (await freePorts(1, host))[0] as number;
    const held = await hold(port, host);
    await held.release();
    return port;
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

interface Held {
  port: number;
  release(): Promise<void>;
}

function hold(port: number, host: string): Promise<Held> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      resolve({ port, release: () => new Promise((done) => server.close(() => done())) });
    });
  });
}
