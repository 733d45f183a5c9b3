import { request } from 'node:http';
import { join } from 'node:path';
import type { ProcessSpec } from './managed-process.ts';
import { repository } from './settings.ts';

const probeTimeoutMs = 2_000;

/** A young heap of half of Node's own size: a quarter less memory in a busy process, for up to a tenth more time (bench/RESULTS.md). */
const nodeFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=16'];

/** One process of a service. `socket` is where it answers /readyz. */
export function serviceSpec(service: {
  name: string;
  folder: string;
  socket: string;
  env: Record<string, string>;
  inherits?: number[] | undefined;
}): ProcessSpec {
  const { name, folder, socket, env, inherits } = service;
  return {
    ...{ name, kind: 'service', env, socket, inherits },
    command: process.execPath,
    args: [...nodeFlags, join(repository, 'services', folder, 'src/main.ts')],
    address: socket,
    probe: () => probeReady(socket),
  };
}

/** Throws unless the service on this socket says that it is ready. */
export function probeReady(socketPath: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, path: '/readyz', timeout: probeTimeoutMs, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => {
        body = (body + chunk.toString()).slice(0, 500);
      });
      response.once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`/readyz answers ${response.statusCode} ${body}`));
      });
      response.once('error', reject);
    });
    call.once('timeout', () => call.destroy(new Error(`/readyz does not answer within ${probeTimeoutMs / 1000} s`)));
    call.once('error', reject);
    call.end();
  });
}
