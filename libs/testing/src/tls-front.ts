import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';
import { EngineUnavailable } from './engine-unavailable.ts';
import { findProgram } from './programs.ts';

const run = promisify(execFile);

/** TLS in front of an engine that knows none, on 127.0.0.1. */
export interface TlsFront {
  port: number;
  /** The certificate (PEM) of the authority that has signed the front's. */
  caFile: string;
  stop(): Promise<void>;
}

/** `name`: what the certificate says, besides 127.0.0.1. Throws EngineUnavailable without openssl. */
export async function startTlsFront({ to, name = 'localhost' }: { to: number; name?: string }): Promise<TlsFront> {
  const openssl = await findProgram('openssl');
  if (!openssl) throw new EngineUnavailable('no openssl: install it, for example with "apt-get install -y openssl"');
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-tls-'));
  const [caFile, caKey, file, key, extensions] = ['ca.pem', 'ca.key', 'front.pem', 'front.key', 'front.ext'].map((path) =>
    join(folder, path),
  ) as [string, string, string, string, string];
  const fresh = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await run(openssl, [...fresh, '-x509', '-days', '2', '-subj', '/CN=authority of a test', '-keyout', caKey, '-out', caFile]);
  await run(openssl, [...fresh, '-subj', '/CN=front', '-keyout', key, '-out', `${file}.req`]);
  await writeFile(extensions, `subjectAltName=IP:127.0.0.1,DNS:${name}\n`);
  const signedBy = ['-CA', caFile, '-CAkey', caKey, '-CAcreateserial', '-days', '2', '-extfile', extensions];
  await run(openssl, ['x509', '-req', '-in', `${file}.req`, ...signedBy, '-out', file]);

  const open = new Set<Socket>();
  const server = createServer({ cert: await readFile(file), key: await readFile(key) }, (line) => {
    const engine = connect(to, '127.0.0.1');
    for (const [one, other] of [
      [line, engine],
      [engine, line],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.on('tlsClientError', () => undefined); // whoever does not trust it hangs up
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    caFile,
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
