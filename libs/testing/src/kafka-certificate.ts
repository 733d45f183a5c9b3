import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from './programs.ts';

const run = promisify(execFile);

/** A certificate that its broker on 127.0.0.1 has signed itself. */
export interface BrokerCertificate {
  keystore: string;
  password: string;
  /** As PEM: what a client has to trust. */
  ca: string;
}

/** Made by keytool, which is part of every Java that runs a broker. */
export async function brokerCertificate(folder: string): Promise<BrokerCertificate> {
  const keytool = (await findProgram('keytool')) ?? 'keytool';
  const [keystore, password] = [join(folder, 'broker.p12'), 'of-the-test'];
  const store = ['-alias', 'broker', '-keystore', keystore, '-storetype', 'PKCS12', '-storepass', password];
  const holder = ['-dname', 'CN=broker', '-ext', 'san=ip:127.0.0.1', '-validity', '2'];
  await run(keytool, ['-genkeypair', '-keyalg', 'EC', '-groupname', 'secp256r1', ...holder, ...store]);
  const { stdout } = await run(keytool, ['-exportcert', '-rfc', ...store]);
  return { keystore, password, ca: stdout };
}
