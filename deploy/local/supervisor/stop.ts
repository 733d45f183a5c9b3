import { setTimeout as delay } from 'node:timers/promises';
import { stillRuns } from '../bootstrap/process-identity.mjs';
import { dataFolder } from './data-folder.ts';
import { answering } from './refusal.ts';
import { type RunState, readRunState } from './run-state.ts';
import { environment, readSettings } from './settings.ts';

/** `npm stop`: asks the running supervisor to stop everything in order and waits until it has. */
async function stop(): Promise<number> {
  const folder = dataFolder(readSettings(environment()).DATA_DIR);
  const state = readRunState(folder.stateFile);
  if (!state || !stillRuns(state.supervisor)) {
    process.stdout.write(`Tollgate is not running (data folder ${folder.root}).\n`);
    return 0;
  }
  const { pid } = state.supervisor;
  if (isStopping(state)) process.stdout.write(`Tollgate is stopping already (pid ${pid}) ...\n`);
  else {
    process.stdout.write(`Stopping Tollgate (pid ${pid}) ...\n`);
    process.kill(pid, 'SIGTERM');
  }
  while (stillRuns(state.supervisor)) await delay(50);
  process.stdout.write('Stopped.\n');
  return 0;
}

/** Asked once more, it would cut what is under way. */
function isStopping({ processes }: RunState): boolean {
  return processes.some(({ state }) => state === 'stopping' || state === 'stopped');
}

await answering(stop);
