import { startFakeProvider } from './fake-provider.ts';

// The fake provider as a process of its own: for tests that kill things, and for benchmarks. PORT=0 picks a free port.
const provider = await startFakeProvider({
  port: Number(process.env.PORT ?? 0),
  keepCalls: process.env.KEEP_CALLS !== 'false',
  script: process.env.SCRIPT ? JSON.parse(process.env.SCRIPT) : undefined,
});
process.stdout.write(`${provider.url}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void provider.close().then(() => process.exit(0)));
