import { parseArgs } from 'node:util';
import { figures } from './figures.ts';
import { type Demand, sizeFor, sizeLines, usualDemand } from './size.ts';

const usage = [
  'How large an installation must be, from what the benchmarks measured (deploy/SIZING.md).',
  '  npm run sizing -- --calls 10000 [--streams 20000] [--frames 30] [--day-share 0.35] [--retention-days 90] [--utilisation 0.6]',
  '--calls: a second, at the peak. --streams: open at once. --frames: a second of one stream. --day-share: calls of a day, of those it would have at the peak all day.',
].join('\n');

/** Prints the size, or how to ask. Returns the exit code. */
export function sizing(args: string[], print: (line: string) => void): number {
  const demand = readDemand(args);
  if (demand === undefined) {
    print(usage);
    return 1;
  }
  for (const [part, words] of sizeLines(sizeFor(demand, figures))) print(`${part.padEnd(10)}${words}`);
  return 0;
}

function readDemand(args: string[]): Demand | undefined {
  const names = {
    calls: 'calls',
    streams: 'streams',
    frames: 'framesPerSecond',
    'day-share': 'dayShare',
    'retention-days': 'retentionDays',
    utilisation: 'utilisation',
  };
  const demand: Demand = { ...usualDemand };
  try {
    const options = Object.fromEntries(Object.keys(names).map((name) => [name, { type: 'string' as const }]));
    const { values } = parseArgs({ args, options });
    if (values.calls === undefined) return undefined;
    for (const [option, field] of Object.entries(names)) {
      const given = values[option];
      if (given === undefined) continue;
      const value = Number(given);
      if (!Number.isFinite(value) || value < 0) return undefined;
      demand[field as keyof Demand] = value;
    }
  } catch {
    return undefined; // an option that there is not
  }
  const { utilisation, dayShare } = demand;
  return utilisation > 0 && utilisation <= 1 && dayShare <= 1 ? demand : undefined;
}

if (import.meta.main) process.exitCode = sizing(process.argv.slice(2), (line) => void process.stdout.write(`${line}\n`));
