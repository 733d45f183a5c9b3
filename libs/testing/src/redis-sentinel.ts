import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EngineUnavailable } from './engine-unavailable.ts';
import { startGuarded } from './guarded-child.ts';
import { freePort, untilListening } from './ports.ts';
import { findProgram } from './programs.ts';

/** A sentinel of the test's own, alone in its decisions, that watches one primary and calls it `mymaster`. */
export async function startSentinel(primary: { port: number }): Promise<{ port: number; stop(): Promise<void> }> {
  const program = await findProgram('redis-server', 'valkey-server');
  if (!program) throw new EngineUnavailable('no redis-server: install it, for example with "apt-get install -y redis-server"');
  const dir = await mkdtemp(join(tmpdir(), 'tollgate-sentinel-'));
  const port = await freePort();
  const file = join(dir, 'sentinel.conf');
  const watch = `sentinel monitor mymaster 127.0.0.1 ${primary.port} 1\nsentinel down-after-milliseconds mymaster 500\nsentinel failover-timeout mymaster 1000\n`;
  await writeFile(file, `port ${port}\nbind 127.0.0.1\ndir ${dir}\n${watch}`);
  const child = await startGuarded(program, [file, '--sentinel'], { ownedFolder: dir });
  await untilListening(port, child);
  return {
    port,
    async stop() {
      await child.end('SIGTERM');
      await rm(dir, { recursive: true, force: true });
    },
  };
}
