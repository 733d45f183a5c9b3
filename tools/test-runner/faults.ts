import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { repository } from '../repository.ts';

/** One mocha run of a room's fault tests. */
interface FaultSuite {
  name: string;
  room: string;
  file: string;
  env?: Record<string, string>;
  /** Only the tests whose name holds this. */
  only?: string;
}

const onKafka = { TEST_BUS: 'kafka' };
/** Side by side, for most of each is waiting: for leases and sessions of the dead to run out. */
const lanes: FaultSuite[][] = [
  [{ name: 'whole', room: 'deploy/local', file: 'test/faults.test.ts', only: 'on Redis Streams' }],
  [{ name: 'whole/Kafka', room: 'deploy/local', file: 'test/faults.test.ts', only: 'on Kafka' }],
  [
    { name: 'outages', room: 'deploy/local', file: 'test/outages.test.ts' },
    { name: 'alerts', room: 'deploy/local', file: 'test/alerts.test.ts' },
    { name: 'releases', room: 'services/relay', file: 'test/two-releases.test.ts', env: { FAULT_REPEATS: '3' } },
    { name: 'relay', room: 'services/relay', file: 'test/kill-points.test.ts' },
    { name: 'billing', room: 'services/billing', file: 'test/kill-points.test.ts' },
  ],
  [{ name: 'billing/Kafka', room: 'services/billing', file: 'test/kill-points.test.ts', env: onKafka }],
];

const mocha = join(repository, 'node_modules/.bin/mocha');
const mochaSettings = ['--exit', '--no-config', '--require', '@tollgate/testing/mocha-hooks', '--timeout', '60000'];
const running = new Set<ChildProcess>();

/** `npm run test:faults`: every fault FAULT_REPEATS times (20), each line as it comes. The exit code is the number of suites that failed. */
async function main(): Promise<number> {
  const startedAt = Date.now();
  const minutes = () => ((Date.now() - startedAt) / 60_000).toFixed(1);
  const outcomes: { name: string; failed: boolean; minutes: string }[] = [];
  await Promise.all(
    lanes.map(async (suites) => {
      for (const suite of suites) {
        const failed = (await runSuite(suite, minutes)) !== 0;
        outcomes.push({ name: suite.name, failed, minutes: minutes() });
      }
    }),
  );
  for (const { name, failed, minutes: at } of outcomes) say(`${failed ? 'FAILED' : 'ok'} ${name} (done after ${at} min)`);
  return outcomes.filter(({ failed }) => failed).length;
}

async function runSuite({ name, room, file, env, only }: FaultSuite, minutes: () => string): Promise<number> {
  const child = spawn(mocha, [...mochaSettings, ...(only ? ['--fgrep', only] : []), file], {
    cwd: join(repository, room),
    env: { FAULT_REPEATS: '20', ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.trim()) say(`${minutes().padStart(5)} min  ${name.padEnd(14)} ${line}`);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  running.delete(child);
  return code ?? 1;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal);
    process.exit(1);
  });
}
process.exitCode = await main();
