import type { DataFolder } from './data-folder.ts';
import { openLifeline } from './lifeline.ts';
import { type ManagedProcess, managedProcess, type ProcessSpec } from './managed-process.ts';
import { thisSupervisor, writeRunState } from './run-state.ts';

interface Minding {
  stopTimeoutMs: number;
  say(line: string): void;
}

/**
 * Runs engines of a data folder for a command that has the folder to itself, and stops them again. They are written down as those of a
 * start are: whoever comes after a command that was killed waits for what is left of it.
 */
export async function withEngines<Result>(
  folder: DataFolder,
  specs: ProcessSpec[],
  { use, ...minding }: Minding & { use(): Promise<Result> },
): Promise<Result> {
  const lifeline = openLifeline(folder.lifeline);
  const self = thisSupervisor(Date.now());
  const changed = () =>
    writeRunState(folder.stateFile, { supervisor: self, address: '', isReady: false, processes: engines.map(({ record }) => record) });
  const engines: ManagedProcess[] = specs.map((spec) => managedProcess(spec, { logs: folder.logs, lifeline, changed, ...minding }));
  try {
    await Promise.all(engines.map((engine) => engine.start()));
    return await use();
  } finally {
    for (const engine of engines) await engine.stop();
    lifeline.close();
  }
}
