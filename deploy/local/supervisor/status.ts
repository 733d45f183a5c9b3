import { stillRuns } from '../bootstrap/process-identity.mjs';
import { dataFolder } from './data-folder.ts';
import { answering } from './refusal.ts';
import { type ProcessRecord, readRunState } from './run-state.ts';
import { probeReady } from './services.ts';
import { environment, readSettings } from './settings.ts';

/** `npm run status`: every process with its pid, uptime and address. Exit code 0 only when everything is ready. */
async function status(): Promise<number> {
  const folder = dataFolder(readSettings(environment()).DATA_DIR);
  const state = readRunState(folder.stateFile);
  if (!state || !stillRuns(state.supervisor)) {
    print(`Tollgate is not running (data folder ${folder.root}). Start it with: npm start`);
    for (const left of state?.processes.filter(stillRuns) ?? []) print(`  still finishing: ${left.name} (pid ${left.pid})`);
    return 1;
  }
  const rows = await Promise.all(state.processes.map(row));
  print(`Tollgate ${state.isReady ? 'is running' : 'is starting'}: ${state.address}\n`);
  print(table([['PROCESS', 'STATE', 'PID', 'UPTIME', 'RESTARTS', 'ADDRESS'], [...supervisorRow(state.supervisor)], ...rows]));
  return state.isReady && rows.every(([, condition]) => condition === 'ready') ? 0 : 1;
}

function supervisorRow({ pid, startedAt }: { pid: number; startedAt: number }): string[] {
  return ['supervisor', 'ready', String(pid), uptime(startedAt), '', ''];
}

async function row(record: ProcessRecord): Promise<string[]> {
  const condition = record.state === 'ready' ? await conditionOf(record) : record.state;
  return [
    record.name,
    condition,
    String(record.pid),
    stillRuns(record) ? uptime(record.startedAt) : '-',
    String(record.restarts),
    record.address,
  ];
}

async function conditionOf(record: ProcessRecord): Promise<string> {
  if (!stillRuns(record)) return 'gone';
  if (record.kind === 'engine') return 'ready';
  return probeReady(record.address).then(
    () => 'ready',
    () => 'not ready',
  );
}

function uptime(startedAt: number): string {
  const seconds = Math.floor((Date.now() - startedAt) / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

function table(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? [];
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

await answering(status);
