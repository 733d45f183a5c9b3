// Damages audio files and compares what a call would be billed with what FFmpeg's decoders play.
// node services/relay/test/audio-fuzz/main.ts [--count=10000] [--only=a.mp3] [--record] [--python=python3]
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { lengthOf } from './length-of.ts';
import { mutated } from './mutate.ts';

const corpus = join(import.meta.dirname, '../fixtures/audio');
const recordedSeeds = 60;
/** Less than this is not compared: a decoder that plays so little plays by chance. */
const fewestSeconds = 0.3;
/** A file that is of no known format is billed as one of 32 kbit a second. */
const bytesPerSecond = 4000;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '10000' },
    only: { type: 'string' },
    record: { type: 'boolean', default: false },
    python: { type: 'string', default: 'python3' },
  },
});
const directory = mkdtempSync('/tmp/audio-fuzz-');
const player = spawn(values.python, [join(import.meta.dirname, 'played.py')], { stdio: ['pipe', 'pipe', 'ignore'] });
const lines = createInterface({ input: player.stdout })[Symbol.asyncIterator]();

async function played(bytes: Buffer): Promise<number> {
  const path = join(directory, 'file');
  writeFileSync(path, bytes);
  player.stdin.write(`${path}\n`);
  const { value } = await lines.next();
  if (value === undefined) throw new Error(`${values.python} ended: is PyAV installed (pip install av)?`);
  return Number(value);
}

/** Compares `count` damaged versions of a file. Returns how many are billed below half of what is played. */
async function fuzz(name: string, count: number): Promise<number> {
  const file = readFileSync(join(corpus, name));
  const counts = { played: 0, refused: 0, unknown: 0, tooShort: 0 };
  for (let seed = 0; seed < count; seed += 1) {
    const bytes = mutated(file, seed);
    const [length, seconds] = [await lengthOf(bytes), await played(bytes)];
    if (seconds >= fewestSeconds) counts.played += 1;
    if (length === 'refused') counts.refused += 1;
    else {
      if (length === undefined) counts.unknown += 1;
      if (seconds < fewestSeconds || (length ?? bytes.length / bytesPerSecond) >= seconds / 2) continue;
      counts.tooShort += 1;
      console.log(`${name}, seed ${seed}: ${length} s instead of ${seconds} s`);
    }
  }
  console.log(name, count, counts);
  return counts.tooShort;
}

/**
 * What is played of a file, and of some of its damaged versions: the true lengths that the tests compare with. `found`: of seeds that were
 * once billed too little, which are kept by adding them to the recorded file.
 */
type Recorded = [name: string, seconds: number, ofSeeds: number[], found?: [seed: number, seconds: number][]];

async function record(name: string): Promise<Recorded> {
  const file = readFileSync(join(corpus, name));
  const ofSeeds: number[] = [];
  for (let seed = 0; seed < recordedSeeds; seed += 1) ofSeeds.push(await played(mutated(file, seed)));
  const found: [number, number][] = [];
  for (const [seed] of earlier.find(([of]) => of === name)?.[3] ?? []) found.push([seed, await played(mutated(file, seed))]);
  return found.length > 0 ? [name, await played(file), ofSeeds, found] : [name, await played(file), ofSeeds];
}

const names = readdirSync(corpus).filter((name) => !name.endsWith('.json') && (values.only ?? name) === name);
let tooShort = 0;
const earlier = JSON.parse(readFileSync(join(corpus, 'played.json'), 'utf8')) as Recorded[];
const recorded = earlier.filter(([name]) => values.record && !names.includes(name));
for (const name of names) {
  if (values.record) recorded.push(await record(name));
  else tooShort += await fuzz(name, Number(values.count));
}
if (values.record) writeFileSync(join(corpus, 'played.json'), `${JSON.stringify(recorded.sort()).replaceAll('],["', '],\n["')}\n`);
player.stdin.end();
rmSync(directory, { recursive: true });
process.exitCode = tooShort > 0 ? 1 : 0;
