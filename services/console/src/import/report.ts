/** What kinds of things an import makes, in its order. */
export const importKinds = ['option', 'user', 'token', 'channel', 'budget', 'passkey', 'code', 'top-up', 'log'] as const;
export type ImportKind = (typeof importKinds)[number];

export interface Line {
  kind: ImportKind | 'table' | 'model';
  /** Which one at the source; never a key or another secret. */
  which: string;
  text: string;
}

/** What an import makes, changes on the way, and leaves out. Sums are in quota units. */
export interface Report {
  made: Record<ImportKind, number>;
  unchanged: Record<ImportKind, number>;
  changed: Line[];
  leftOut: Line[];
  sums: Record<SumName, number>;
}

export const sumTexts = {
  sourceBalances: 'balances of all accounts at the source',
  balances: 'balances posted as opening entries',
  earlier: 'balances posted by earlier runs',
  leftOutBalances: 'balances of accounts that are left out',
  debts: 'debts (negative balances), which become 0',
  refused: 'changes that the balance here does not cover',
  tokenLimits: 'left on tokens with a limit',
  invitations: 'earned by inviting and not transferred yet',
  spent: 'spent at the source',
  logged: 'of that in log rows that come along as history',
  codes: 'worth of unused redemption codes',
} as const;
export type SumName = keyof typeof sumTexts;

export function emptyReport(): Report {
  const zeros = () => Object.fromEntries(importKinds.map((kind) => [kind, 0])) as Record<ImportKind, number>;
  const sums = Object.fromEntries(Object.keys(sumTexts).map((name) => [name, 0])) as Record<SumName, number>;
  return { made: zeros(), unchanged: zeros(), changed: [], leftOut: [], sums };
}

/** The report as text for a terminal; `applied` says whether it was written or is only what would be. */
export function reportText(report: Report, { applied, title }: { applied: boolean; title: string }): string {
  const counts = importKinds.map(
    (kind) => `  ${kind.padEnd(8)} ${String(report.made[kind]).padStart(7)} ${String(report.unchanged[kind]).padStart(9)}`,
  );
  const sums = (Object.keys(sumTexts) as SumName[]).map((name) => `  ${String(report.sums[name]).padStart(18)}  ${sumTexts[name]}`);
  const { sourceBalances, balances, earlier, leftOutBalances, debts, refused } = report.sums;
  const difference = sourceBalances - balances - earlier - leftOutBalances - debts - refused;
  return [
    title,
    '',
    `           ${applied ? '  made' : 'to make'} unchanged`,
    ...counts,
    '',
    'Quota:',
    ...sums,
    `  ${String(difference).padStart(18)}  difference (must be 0)`,
    ...linesText(`Changed (${report.changed.length}):`, report.changed),
    ...linesText(`Left out (${report.leftOut.length}):`, report.leftOut),
    '',
    applied ? 'Done. The same command again changes nothing.' : 'This was a dry run: nothing is written. Add --apply to write it.',
    '',
  ].join('\n');
}

/** What an undo took back, or would. */
export function undoText(report: Report, { applied, name }: { applied: boolean; name: string }): string {
  return [
    `Undo of the import known as ${name}`,
    '',
    `           ${applied ? 'taken back' : 'to take back'}`,
    ...importKinds.map((kind) => `  ${kind.padEnd(8)} ${String(report.made[kind]).padStart(10)}`),
    ...linesText(`Left here (${report.leftOut.length}):`, report.leftOut),
    '',
    applied ? 'Done. The source can be imported again, under the same ids.' : 'Nothing is taken back yet. Add --apply to do it.',
    '',
  ].join('\n');
}

/** Names of the source must not move the cursor of a terminal, or the direction of a line. */
function clean(line: string): string {
  return line.replace(/[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, ' ');
}

function linesText(title: string, lines: readonly Line[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map(({ kind, which, text }) => clean(`  ${kind} ${which}: ${text}`))];
}
