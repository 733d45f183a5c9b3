import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { EngineUnavailable } from './engine-unavailable.ts';
import { oncePerMachine } from './once-per-machine.ts';
import { findProgram } from './programs.ts';

const run = promisify(execFile);
const pom = join(import.meta.dirname, '../kafka/pom.xml');

/** Where the broker's jars and the Java runtime are. Fetches the jars once per machine. Throws EngineUnavailable. */
export async function kafkaRuntime(): Promise<{ java: string; jars: string }> {
  const java = await findProgram('java');
  if (!java)
    throw new EngineUnavailable('Kafka needs Java 17 or newer: install it, for example with "apt-get install -y default-jre-headless"');
  return { java, jars: await kafkaJars() };
}

/** The folder with the broker's jars. */
async function kafkaJars(): Promise<string> {
  const version = createHash('sha256')
    .update(await readFile(pom))
    .digest('hex')
    .slice(0, 12);
  return oncePerMachine(`kafka/${version}`, fetchJars);
}

async function fetchJars(folder: string): Promise<void> {
  const maven = await findProgram('mvn');
  if (!maven)
    throw new EngineUnavailable('Kafka needs its jars once, which Maven fetches: install it, for example with "apt-get install -y maven"');
  process.stderr.write('  fetching the Kafka broker for the tests (44 MB, once)\n');
  const args = ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${folder}`];
  await run(maven, args, { timeout: 480_000 }).catch((error: Error) => {
    throw new EngineUnavailable(`Kafka's jars could not be fetched with Maven: ${error.message.slice(0, 500)}`);
  });
  await writeFile(join(folder, 'fetched-by'), `${pom}\n`);
}
