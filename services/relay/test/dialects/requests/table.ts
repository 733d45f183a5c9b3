import { readFileSync, writeFileSync } from 'node:fs';
import type { Caller } from './callers.ts';
import { type Cell, cells, ways } from './round-trip.ts';
import { otherwise } from './said-otherwise.ts';

const names: Record<Caller, string> = { openai: 'OpenAI', anthropic: 'Anthropic', gemini: 'Gemini', responses: 'Responses' };
const readme = new URL('../../../../../libs/providers/README.md', import.meta.url);
const [begin, end] = [
  '<!-- requests: written by `node services/relay/test/dialects/write-matrix.ts`, do not edit -->',
  '<!-- end of requests -->',
];

/** What becomes of all that callers say, on its way through each other dialect; the notes below it say what is told otherwise. */
export function requestTable(all: readonly Cell[] = cells()): string {
  const rows = [...new Set(all.map(({ says }) => says))].map((says) => {
    const words = ways.map((way) => wordsOf(all.find((cell) => cell.says === says && cell.way === way)));
    return `| ${says} | ${words.join(' | ')} |`;
  });
  return [
    `| what is said | ${ways.map(({ from, between }) => `${names[from]} to ${names[between]}`).join(' | ')} |`,
    `|${' --- |'.repeat(ways.length + 1)}`,
    ...rows,
    '',
    ...otherwise.map(({ says }, at) => `${at + 1}. ${says}`),
  ].join('\n');
}

function wordsOf(cell: Cell | undefined): string {
  if (cell === undefined) return '';
  const { outcome, notes } = cell;
  if (outcome.kind === 'refused') return `no: \`${(outcome.param ?? '').replace(/\[.*$/, '')}\``;
  return outcome.kind === 'same' ? 'yes' : `yes ${notes.map((at) => `(${at + 1})`).join(' ')}`;
}

export function printedRequestTable(): string {
  const text = readFileSync(readme, 'utf8');
  return text.slice(text.indexOf(begin) + begin.length, text.indexOf(end)).trim();
}

export function printRequestTable(): void {
  const text = readFileSync(readme, 'utf8');
  writeFileSync(readme, `${text.slice(0, text.indexOf(begin) + begin.length)}\n\n${requestTable()}\n\n${text.slice(text.indexOf(end))}`);
}
