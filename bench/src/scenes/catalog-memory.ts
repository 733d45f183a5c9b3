import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Row } from '../bench.ts';

const program = new URL('../../../services/relay/bench/catalog-memory.ts', import.meta.url).pathname;
const models = 2000;

/** What a catalog of root's with 2 000 models keeps in the relay's memory, each model priced once. */
export async function catalogMemory(): Promise<Row[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, String(models)]);
  const { mb } = JSON.parse(stdout) as { mb: number };
  return [{ name: 'catalog of 2 000 models, in the relay', value: mb, unit: 'MB', atMost: 5 }];
}
