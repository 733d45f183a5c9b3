import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineUnavailable } from './engine-unavailable.ts';
import { startGuarded } from './guarded-child.ts';
import type { Nginx } from './nginx.ts';
import { freePort, untilListening } from './ports.ts';
import { findProgram } from './programs.ts';

/** Starts Caddy on loopback with the Caddyfile made for a port. Throws EngineUnavailable when none is installed. */
export async function startCaddy(caddyfile: (at: { port: number }) => string): Promise<Nginx> {
  const program = await findProgram('caddy');
  if (!program) throw new EngineUnavailable('no caddy: install it, for example with "apt-get install -y caddy"');
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-caddy-'));
  const port = await freePort();
  const file = join(folder, 'Caddyfile');
  await writeFile(file, `{\n\tadmin off\n\tauto_https off\n\tstorage file_system ${folder}/storage\n}\n${caddyfile({ port })}`);
  const child = await startGuarded(program, ['run', '--config', file, '--adapter', 'caddyfile'], {
    ownedFolder: folder,
    env: { XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
  });
  await untilListening(port, child);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await child.end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
