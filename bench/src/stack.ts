import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pin, startProgram } from './processes.ts';

const repository = join(import.meta.dirname, '../..');

/** The product as a user starts it, on an empty data folder, with one channel for each mock and one funded token. */
export interface Stack {
  dataDir: string;
  /** The public port, and the relay's own. */
  publicPort: number;
  relayPort: number;
  apiKey: string;
  pids: Record<string, number>;
  /** A call of the console API as root. */
  console(path: string, init?: { method?: string; body?: unknown }): Promise<unknown>;
  stop(): Promise<void>;
}

interface RunState {
  address: string;
  isReady: boolean;
  processes: { name: string; pid: number; address: string }[];
}

export async function startStack(upstreamPort: number, env: Record<string, string> = {}): Promise<Stack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  const stateFile = join(dataDir, 'run/state.json');
  const readState = async (): Promise<RunState> => JSON.parse(await readFile(stateFile, 'utf8')) as RunState;
  const supervisor = await startProgram('supervisor', join(repository, 'deploy/local/supervisor/main.ts'), {
    env: {
      DATA_DIR: dataDir,
      PORT: '0',
      EGRESS_ALLOW: '127.0.0.0/8',
      LOG_LEVEL: 'warn',
      RELAY_PROCESSES: '1',
      BILLING_PROCESSES: '1',
      ...env,
    },
    isReady: async () => (await readState()).isReady,
  });
  const state = await readState();
  const pids = Object.fromEntries(state.processes.map(({ name, pid }) => [name, pid]));
  for (const [name, pid] of Object.entries(pids)) pin(pid, name.startsWith('relay') ? 0 : 1);
  const portOf = (name: string): number => Number(new URL(state.processes.find((each) => each.name === name)?.address ?? '').port);
  const call = await signIn(state.address);
  const apiKey = await seed(call, upstreamPort);
  return {
    dataDir,
    publicPort: Number(new URL(state.address).port),
    relayPort: portOf('relay'),
    apiKey,
    pids,
    console: call,
    async stop() {
      await supervisor.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function signIn(address: string): Promise<Stack['console']> {
  const login = await fetch(`${address}/api/user/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'root', password: '123456' }),
  });
  const cookie = login.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const { data } = (await login.json()) as { data: { id: number } };
  return async (path, { method = 'GET', body } = {}) => {
    const answer = await fetch(`${address}${path}`, {
      method,
      headers: { cookie, 'new-api-user': String(data.id), ...(body ? { 'content-type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : null,
    });
    const envelope = (await answer.json()) as { success: boolean; message: string; data: unknown };
    if (!envelope.success) throw new Error(`${method} ${path}: ${envelope.message}`);
    return envelope.data;
  };
}

async function seed(call: Stack['console'], upstreamPort: number): Promise<string> {
  const base_url = `http://127.0.0.1:${upstreamPort}`;
  const channel = { key: 'bench-key', group: 'default', base_url };
  await call('/api/channel/', { method: 'POST', body: { ...channel, name: 'openai', type: 1, models: 'gpt-4o-mini' } });
  await call('/api/channel/', { method: 'POST', body: { ...channel, name: 'anthropic', type: 14, models: 'claude-3-5-haiku-20241022' } });
  await call('/api/token/', { method: 'POST', body: { name: 'bench', unlimited_quota: true } });
  await call('/api/user/', { method: 'PUT', body: { id: 1, add_quota: 1_000_000_000_000 } });
  const tokens = (await call('/api/token/?p=1&page_size=10')) as { items: { key: string }[] };
  return `sk-${tokens.items[0]?.key}`;
}
