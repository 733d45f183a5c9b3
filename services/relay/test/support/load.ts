/**
 * A bounded load for looking at where the time goes: `node test/support/load.ts [calls] [concurrency] [json|stream]`.
 * The relay and the provider run in processes of their own; prints calls a second and the relay's CPU time a call.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@tollgate/testing';
import { Agent, request } from 'undici';
import { startGateway } from './gateway.ts';

const [calls = 20_000, concurrency = 32, kind = 'json'] = [
  Number(process.argv[2] ?? 20_000),
  Number(process.argv[3] ?? 32),
  process.argv[4] ?? 'json',
];
const main = join(import.meta.dirname, '../../src/main.ts');

/** CPU time of a process with all its threads, in ms. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** System calls of a process that read and write. */
function systemCalls(pid: number): { reads: number; writes: number } {
  const text = readFileSync(`/proc/${pid}/io`, 'utf8');
  return { reads: Number(/syscr: (\d+)/.exec(text)?.[1]), writes: Number(/syscw: (\d+)/.exec(text)?.[1]) };
}

const providerPort = await freePort();
const provider = spawn(process.execPath, [join(import.meta.dirname, '../../../../libs/testing/src/fake-provider-main.ts')], {
  env: { ...process.env, FAKE_PROVIDER_PORT: String(providerPort), PORT: String(providerPort) },
  stdio: ['ignore', 'inherit', 'inherit'],
});
const gateway = await startGateway();
const user = await gateway.user({ balance: 1e12 });
await gateway.channel({ baseUrl: `http://127.0.0.1:${providerPort}` });
const port = await freePort();
const relay: ChildProcess = spawn(process.execPath, [...(process.env.RELAY_NODE_ARGS?.split(' ') ?? []), main], {
  env: { ...process.env, ...gateway.env, RELAY_PORT: String(port), LOG_LEVEL: process.env.RELAY_LOG ?? 'info' },
  stdio: ['ignore', process.env.RELAY_OUT ? 'inherit' : 'ignore', 'inherit'],
});
const agent = new Agent({ connections: concurrency });
const body = JSON.stringify({ model: 'test-model', stream: kind === 'stream', messages: [{ role: 'user', content: 'word '.repeat(40) }] });
const headers = { 'content-type': 'application/json', authorization: user.token.authorization };
const call = async () => {
  const answer = await request(`http://127.0.0.1:${port}/v1/chat/completions`, { dispatcher: agent, method: 'POST', headers, body });
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${await answer.body.text()}`);
  await answer.body.dump();
};
for (;;) {
  try {
    await call();
    break;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
const run = async (count: number) => {
  let left = count;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (left-- > 0) await call();
    }),
  );
};
await run(Math.min(5_000, calls));
for (let slice = 0; slice < 4; slice += 1) {
  const [startCpu, startIo, start] = [cpuMs(relay.pid ?? 0), systemCalls(relay.pid ?? 0), performance.now()];
  await run(calls / 4);
  const seconds = (performance.now() - start) / 1000;
  const io = systemCalls(relay.pid ?? 0);
  const each = (amount: number) => (amount / (calls / 4)).toFixed(2);
  const cpu = each((cpuMs(relay.pid ?? 0) - startCpu) * 1000);
  const [reads, writes] = [each(io.reads - startIo.reads), each(io.writes - startIo.writes)];
  console.log(`${Math.round(calls / 4 / seconds)} calls/s; the relay a call: ${cpu} us, ${reads} reads, ${writes} writes`);
}
relay.kill('SIGTERM');
await new Promise((resolve) => relay.once('exit', resolve));
provider.kill();
await gateway.redis.flushall();
await gateway.stop();
process.exit(0);
