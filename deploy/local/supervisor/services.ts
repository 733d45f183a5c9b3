import { request } from 'node:http';
import { join } from 'node:path';
import type { ProcessSpec } from './managed-process.ts';
import { repository } from './settings.ts';

const probeTimeoutMs = 2_000;

/** A young heap of half of Node's own size: a quarter less memory in a busy process, for up to a tenth more time (bench/RESULTS.md). */
const nodeFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=16'];

/** One process of a service. `port` is where it answers /readyz. */
export function serviceSpec(service: {
  name: string;
  folder: string;
  port: number;
  host?: string;
  env: Record<string, string>;
}): ProcessSpec {
  const host = probeHost(service.host ?? '127.0.0.1');
  const base = `http://${host.includes(':') ? `[${host}]` : host}:${service.port}`;
  return {
    name: service.name,
    kind: 'service',
    command: process.execPath,
    args: [...nodeFlags, join(repository, 'services', service.folder, 'src/main.ts')],
    env: service.env,
    address: base,
    probe: () => probeHttp(`${base}/readyz`),
  };
}

/** Throws unless the service says that it is ready. */
export function probeHttp(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(url, { timeout: probeTimeoutMs, agent: false }, (response) => {
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

function probeHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
