import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { EngineUnavailable } from './engine-unavailable.ts';
import { findProgram } from './programs.ts';

const run = promisify(execFile);
const pom = join(import.meta.dirname, '../kafka/pom.xml');
const cache = join(import.meta.dirname, '../../../.cache');
const lockMaxAgeMs = 10 * 60_000;

/** Where the broker's jars and the Java runtime are. Fetches the jars once per machine. Throws EngineUnavailable. */
export async function kafkaRuntime(): Promise<{ java: string; jars: string }> {
  const java = await findProgram('java');
  if (!java)
    throw new EngineUnavailable('Kafka needs Java 17 or newer: install it, for example with "apt-get install -y default-jre-headless"');
  return { java, jars: await kafkaJars() };
}

/** The folder with the broker's jars. Several test processes may ask at once: one fetches, the others wait for it. */
async function kafkaJars(): Promise<string> {
  const version = createHash('sha256')
    .update(await readFile(pom))
    .digest('hex')
    .slice(0, 12);
  const jars = join(cache, 'kafka', version);
  const lock = join(cache, `kafka-${version}.lock`);
  await mkdir(cache, { recursive: true });
  for (;;) {
    if (await exists(jars)) return jars;
    if (await take(lock)) break;
    await delay(250);
  }
  try {
    if (!(await exists(jars))) await fetchJars(jars);
    return jars;
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

/** Copies the jars beside the final folder and renames: a folder that exists is complete. */
async function fetchJars(jars: string): Promise<void> {
  const maven = await findProgram('mvn');
  if (!maven)
    throw new EngineUnavailable('Kafka needs its jars once, which Maven fetches: install it, for example with "apt-get install -y maven"');
  const partial = `${jars}.partial`;
  await rm(partial, { recursive: true, force: true });
  process.stderr.write('  fetching the Kafka broker for the tests (44 MB, once)\n');
  const args = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${partial}`];
  await run(maven, args, { timeout: 480_000 }).catch((error: Error) => {
    throw new EngineUnavailable(`Kafka's jars could not be fetched with Maven: ${error.message.slice(0, 500)}`);
  });
  await writeFile(join(partial, 'fetched-by'), `${pom}\n`);
  await rename(partial, jars);
}

/** Takes the lock folder, also from an owner that died long ago. */
async function take(lock: string): Promise<boolean> {
  try {
    await mkdir(lock);
    return true;
  } catch {
    const held = await stat(lock).catch(() => undefined);
    if (held && Date.now() - held.mtimeMs > lockMaxAgeMs) await rm(lock, { recursive: true, force: true });
    return false;
  }
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
