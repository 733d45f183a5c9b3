import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineUnavailable } from './engine-unavailable.ts';
import { startGuarded } from './guarded-child.ts';
import { freePort, untilListening } from './ports.ts';
import { findProgram } from './programs.ts';

/** An nginx in front of something. */
export interface Nginx {
  url: string;
  stop(): Promise<void>;
}

/** Starts nginx on loopback with the configuration made for a port and a folder for its files. Throws EngineUnavailable when none is installed. */
export async function startNginx(configuration: (at: { port: number; folder: string }) => string): Promise<Nginx> {
  const program = await findProgram('nginx');
  if (!program) throw new EngineUnavailable('no nginx: install it, for example with "apt-get install -y nginx-light"');
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-nginx-'));
  const port = await freePort();
  await writeFile(join(folder, 'nginx.conf'), configuration({ port, folder }));
  // One process: its workers would outlive a master that is killed with -9.
  const args = ['-p', folder, '-c', 'nginx.conf', '-e', 'stderr', '-g', 'daemon off; master_process off;'];
  const child = await startGuarded(program, args, { ownedFolder: folder });
  await untilListening(port, child);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await child.end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
