import { existsSync } from 'node:fs';
import { stillRuns } from '../bootstrap/process-identity.mjs';
import { readOptions } from './arguments.ts';
import { dataFolder, prepareDataFolder, removeSockets } from './data-folder.ts';
import { devEnvironment, restartOnChange, viteAddress, viteSpec } from './dev.ts';
import { wipeAfterConfirmation } from './fresh.ts';
import { endLeftovers } from './leftovers.ts';
import { openLifeline } from './lifeline.ts';
import { takeLock } from './lock.ts';
import { makePlan } from './plan.ts';
import { openPublicPort } from './public-port.ts';
import { answering, Refusal } from './refusal.ts';
import { type RunState, readRunState, thisSupervisor, writeRunState } from './run-state.ts';
import { readOrMakeSecrets } from './secrets.ts';
import { environment, readSettings } from './settings.ts';
import { type Stack, stackOf } from './stack.ts';
import { firstStopSignal } from './stop-signal.ts';
import { refuseUnfinishedRestore } from './unfinished-restore.ts';
import { publicAddress, welcome } from './welcome.ts';

const usage = [
  'Starts everything on this machine, and stops it with Ctrl-C. Settings come from the environment or from .env: docs/settings.md lists them.',
  '  npm start [-- --fresh]',
  '  npm run dev [-- --fresh]: the same, with services that restart and pages that reload when their sources change.',
  '--fresh: first delete, after a question, what the data folder holds.',
].join('\n');

/** `npm start`: starts everything, minds it until a signal comes, stops everything. */
async function start(args: string[]): Promise<number> {
  const startedAt = Date.now();
  const { fresh, dev } = readOptions(args, { fresh: { type: 'boolean', default: false }, dev: { type: 'boolean', default: false } }, usage);
  const env = dev ? { ...environment(), ...devEnvironment } : environment();
  const settings = readSettings(env);
  const folder = dataFolder(settings.DATA_DIR);
  prepareDataFolder(folder);
  const lock = takeLock(folder.lockFile);
  if (!lock) throw new Refusal(alreadyRunning(readRunState(folder.stateFile), folder.root));
  const before = readRunState(folder.stateFile);
  await endLeftovers(before, say);
  if (fresh) await wipeAfterConfirmation(folder);
  refuseUnfinishedRestore(folder);

  const publicPort = await openPublicPort(settings.PORT, settings.HOST);
  const lifeline = openLifeline(folder.lifeline);
  const isFirst = !existsSync(folder.secretsFile) && !settings.MONGODB_URI;
  const secrets = readOrMakeSecrets(folder.secretsFile);
  const address = publicAddress(settings.HOST, publicPort.port);
  const usual = makePlan(settings, { folder, secrets, env, publicPort });
  const plan = dev ? { ...usual, services: [...usual.services, viteSpec(address, folder.sockets)] } : usual;
  const self = thisSupervisor(startedAt);
  let isReady = false;
  let closeWatch = () => {};
  let isWritten = true;
  const changed = () => {
    try {
      writeRunState(folder.stateFile, { supervisor: self, address, isReady, processes: stack.processes.map(({ record }) => record) });
      isWritten = true;
    } catch (error) {
      if (isWritten) say(`${folder.stateFile} cannot be written (${(error as Error).message}): npm run status shows what was true before`);
      isWritten = false;
    }
  };
  const stack: Stack = stackOf(plan, {
    logs: folder.logs,
    lifeline,
    stopTimeoutMs: settings.STOP_TIMEOUT_S * 1000,
    say,
    changed,
    hasWorkedBefore: before?.isReady === true,
  });

  const stopAsked = firstStopSignal(() => {
    say('Stopping at once.');
    stack.kill();
  });
  say(`Starting ${stack.processes.map(({ record }) => record.name).join(', ')} ...`);
  const started = stack.start();
  started.catch(() => undefined); // after a stop signal nobody asks whether the start would have worked
  try {
    await Promise.race([started, stopAsked]);
    if (!stopAsked.isAsked()) {
      isReady = true;
      changed();
      say(welcome(settings, { address, tookMs: Date.now() - startedAt, isFirst }));
      if (dev) {
        closeWatch = restartOnChange(stack.processes, say);
        say(`  Pages with hot reload: ${viteAddress(folder.sockets)}`);
      }
    }
    say(`${await stopAsked}: stopping (what is under way is finished first; press Ctrl-C again to stop at once) ...`);
    return 0;
  } finally {
    closeWatch();
    publicPort.close(); // new connections are refused at once
    await stack.stop();
    lifeline.close();
    removeSockets(folder);
    lock.release();
    say('Stopped.');
  }
}

function alreadyRunning(state: RunState | undefined, root: string): string {
  if (!state || !stillRuns(state.supervisor)) return `Another start is under way with the data folder ${root}.`;
  return [
    `Tollgate is running already: ${state.address} (pid ${state.supervisor.pid}, data folder ${root}).`,
    'See it with: npm run status. Stop it with: npm stop. A second one needs its own DATA_DIR and PORT.',
  ].join('\n');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

process.stdout.on('error', () => undefined); // the terminal was closed: there is nobody left to tell
await answering(() => start(process.argv.slice(2)));
