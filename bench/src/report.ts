import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { type Row, verdict } from './bench.ts';

const repository = join(import.meta.dirname, '../..');

/** One line of the table: figure, budget, met or missed, how near the aim beyond it is. */
export function print(row: Row): void {
  const words = [
    row.name.padEnd(52),
    shown(row.value).padStart(11),
    ` ${row.unit.padEnd(9)}`,
    boundOf(row).padEnd(11),
    verdict(row).padEnd(8),
  ];
  const details = [
    row.aim === undefined ? '' : `aim ${row.aim}: ${isReached(row, row.aim) ? 'reached' : 'not yet'}`,
    row.median === undefined ? '' : `median ${shown(row.median)}`,
    Object.entries(row.parts ?? {})
      .map(([name, value]) => `${name} ${shown(value)}`)
      .join(', '),
  ];
  process.stdout.write(`${words.join('')}${details.filter(Boolean).join('; ')}`.trimEnd().concat('\n'));
}

/** Writes the figures with what they were measured on to `results/<name>.json`. */
export function save(name: string, rows: Row[], more: Record<string, unknown> = {}): void {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
  const results = {
    at: new Date().toISOString(),
    commit: git('rev-parse', '--short', 'HEAD'),
    isChanged: git('status', '--porcelain') !== '',
    node: process.version,
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    rows: rows.map((row) => ({ ...row, verdict: verdict(row) })),
    ...more,
  };
  const folder = join(import.meta.dirname, '../results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`);
}

function isReached({ value, atLeast }: Row, aim: number): boolean {
  return atLeast === undefined ? value <= aim : value >= aim;
}

function boundOf({ atMost, atLeast }: Row): string {
  if (atMost !== undefined) return `<= ${atMost}`;
  return atLeast === undefined ? '' : `>= ${atLeast}`;
}

function shown(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
