import { type Installation, startInstallation } from '@tollgate/testing';
import { pin } from './processes.ts';

/** The product as a user starts it, on an empty data folder, with one channel for each dialect of the mock and one funded token. */
export interface Stack {
  installation: Installation;
  relayPort: number;
  apiKey: string;
  pids: Record<string, number>;
  /** The key of another user, funded like the first. */
  anotherCaller(): Promise<string>;
  /** One more channel of OpenAI's dialect. */
  addChannel(name: string, upstream: { port: number; models: string }): Promise<void>;
}

const grant = 1_000_000_000_000;

export async function startStack(upstreamPort: number): Promise<Stack> {
  const settings = { LOG_LEVEL: 'warn', API_REQUESTS_PER_MINUTE: '0', RELAY_PROCESSES: '1', BILLING_PROCESSES: '1', RELAY_QUEUE_MS: '100' };
  const installation = await startInstallation(settings);
  const pids = Object.fromEntries((await installation.processes()).map(({ name, pid }) => [name, pid]));
  for (const [name, pid] of Object.entries(pids)) pin(pid, name.startsWith('relay') ? 0 : 1);
  const apiKey = await seed(installation, upstreamPort);
  return {
    installation,
    relayPort: Number(new URL(installation.address).port),
    apiKey,
    pids,
    anotherCaller: () => anotherCaller(installation),
    async addChannel(name, { port, models }) {
      const body = { key: 'bench-key', group: 'default', base_url: `http://127.0.0.1:${port}`, name, type: 1, models };
      await installation.console('/api/channel/', { method: 'POST', body });
    },
  };
}

async function seed({ console }: Installation, upstreamPort: number): Promise<string> {
  const post = (path: string, body: unknown): Promise<unknown> => console(path, { method: 'POST', body });
  const channel = { key: 'bench-key', group: 'default', base_url: `http://127.0.0.1:${upstreamPort}` };
  await post('/api/channel/', { ...channel, name: 'openai', type: 1, models: 'gpt-4o-mini' });
  await post('/api/channel/', { ...channel, name: 'anthropic', type: 14, models: 'claude-3-5-haiku-20241022' });
  await post('/api/channel/', { ...channel, name: 'responses', type: 1, models: 'gpt-5.1-codex', setting: '{"responses":true}' });
  await post('/api/token/', { name: 'bench', unlimited_quota: true });
  await console('/api/user/', { method: 'PUT', body: { id: 1, add_quota: grant } });
  const tokens = await console<{ items: { key: string }[] }>('/api/token/?p=1&page_size=10');
  return `sk-${tokens.items[0]?.key}`;
}

async function anotherCaller({ address, console }: Installation): Promise<string> {
  const login = { username: 'quiet', password: 'quiet-in-the-bench' };
  await console('/api/user/', { method: 'POST', body: login });
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  const ask = async <T>(path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(address + path, { method: body ? 'POST' : 'GET', headers, body: body ? JSON.stringify(body) : null });
    const { success, message, data } = (await answer.json()) as { success: boolean; message: string; data: T };
    if (!success) throw new Error(`${path}: ${message}`);
    headers.cookie ??= answer.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ');
    return data;
  };
  const { id } = await ask<{ id: number }>('/api/user/login', login);
  headers['new-api-user'] = String(id);
  await console('/api/user/', { method: 'PUT', body: { id, add_quota: grant } });
  await ask('/api/token/', { name: 'quiet', unlimited_quota: true });
  const tokens = await ask<{ items: { key: string }[] }>('/api/token/?p=1&page_size=10');
  return `sk-${tokens.items[0]?.key}`;
}
