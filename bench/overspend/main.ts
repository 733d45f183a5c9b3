/**
 * What a ceiling of 1 USD lets through: 500 parallel calls over four relays, of which one is killed, with Redis paused for 2 s, whole answers
 * and streams, with and without a maximum, with long prompts, with retries. `npm run overspend -w @tollgate/bench [rounds] [cells, with commas]`
 */
import { setTimeout as delay } from 'node:timers/promises';
import { startInstallation } from '@tollgate/testing';
import { startUpstream } from './upstream.ts';

const rounds = Number(process.argv[2] ?? 3);
const only = process.argv[3]?.split(',');
const calls = 500;
const quotaPerDollar = 500_000;
/** Both in and out; so many quota units are a token. */
const dollarsPerMillion = 2;
const pausedMs = 2_000;
const mostTries = 6;

interface Cell {
  name: string;
  model: string;
  stream: boolean;
  maxTokens: number | undefined;
  prompt: string;
  calls: number;
  by: 'budget' | 'run';
}

const short = 'word '.repeat(1_000);
const long = 'word '.repeat(150_000);
const usual = { model: 'known', stream: false, maxTokens: 3_000, prompt: short, calls, by: 'budget' } as const;
const cells: Cell[] = [
  { ...usual, name: 'whole answers' },
  { ...usual, name: 'streams', stream: true },
  { ...usual, name: 'no maximum named', maxTokens: undefined },
  { ...usual, name: 'no maximum, unknown model', maxTokens: undefined, model: 'unknown', stream: true },
  { ...usual, name: 'long context', maxTokens: 100, prompt: long, calls: 20 },
  { ...usual, name: 'ceiling of a run', by: 'run', stream: true },
];

const upstream = await startUpstream();
const installation = await startInstallation({
  LOG_LEVEL: 'error',
  RELAY_PROCESSES: '4',
  API_REQUESTS_PER_MINUTE: '0',
  RELAY_HOLD_MS: '15000',
});
const post = <T>(path: string, body: unknown, method = 'POST'): Promise<T> => installation.console<T>(path, { method, body });

try {
  await post('/api/option/', { key: 'ModelRatio', value: JSON.stringify({ known: 1, unknown: 1 }), confirm: true }, 'PUT');
  await post('/api/option/', { key: 'CompletionRatio', value: JSON.stringify({ known: 1, unknown: 1 }), confirm: true }, 'PUT');
  await post('/api/option/', { key: 'ModelMaxOutput', value: JSON.stringify({ known: 4_096 }) }, 'PUT');
  const channel = { key: 'k', group: 'default', base_url: upstream.url, name: 'overspend', type: 1, models: 'known,unknown' };
  await post('/api/channel/', channel);
  await post('/api/user/', { id: 1, add_quota: 1_000_000_000 }, 'PUT');
  for (const cell of cells.filter(({ name }) => only?.includes(name) ?? true)) {
    for (let round = 1; round <= rounds; round += 1) console.log(JSON.stringify({ cell: cell.name, round, ...(await measured(cell)) }));
  }
} finally {
  upstream.stop();
  await installation.stop();
}

/** One cell once, on a fresh token. */
async function measured(cell: Cell): Promise<Record<string, unknown>> {
  const token = await post<{ id: number; key: string }>('/api/token/', { name: `t${Date.now()}`, unlimited_quota: true });
  const budget = await ceilingOf(cell, token.id);
  upstream.asks(cell.maxTokens);
  upstream.take();
  const began = Date.now();
  const disturbing = disturb();
  const answers = await Promise.all(Array.from({ length: cell.calls }, () => ask(cell, token.key)));
  await disturbing;
  const seconds = (Date.now() - began) / 1_000;
  const counted = upstream.take();
  const { used, held } = await settled(budget);
  const dollars = (quota: number) => Number((quota / quotaPerDollar).toFixed(4));
  return {
    answered: answers.filter(({ status }) => status === 200).length,
    'answered in full': counted.full,
    'spent USD': dollars(used),
    'held USD': dollars(held),
    'upstream counted USD': Number((((counted.promptTokens + counted.completionTokens) * dollarsPerMillion) / 1e6).toFixed(4)),
    'upstream answers': counted.answers,
    refusals: Object.fromEntries(
      Map.groupBy(
        answers.filter(({ status }) => status !== 200),
        ({ code }) => code,
      )
        .entries()
        .map(([code, all]) => [code, all.length]),
    ),
    seconds,
  };
}

interface Ceiling {
  read(): Promise<{ used: number; held: number }>;
}

async function ceilingOf(cell: Cell, tokenId: number): Promise<Ceiling> {
  if (cell.by === 'run') {
    const run = await post<{ id: string }>('/api/run', { token_id: tokenId, run_id: 'overspend', limit: quotaPerDollar });
    return { read: async () => (await installation.console<{ run: { used: number; held: number } }>(`/api/run/detail?id=${run.id}`)).run };
  }
  const body = { name: 'overspend', subject: 'token', subject_id: tokenId, amount: quotaPerDollar, window: 'total' };
  const { id } = await post<{ id: number }>('/api/budget/', body);
  return { read: () => installation.console(`/api/budget/${id}`) };
}

/** Kills one of the four relays after 0.3 s, and pauses Redis from 0.5 s on. */
async function disturb(): Promise<void> {
  const running = await installation.processes();
  const relays = running.filter(({ name }) => name.startsWith('relay'));
  const victim = relays[Math.floor(Math.random() * relays.length)];
  const redis = running.find(({ name }) => name === 'redis');
  if (relays.length !== 4 || victim === undefined || redis === undefined)
    throw new Error(`not four relays and Redis: ${running.map(({ name }) => name)}`);
  await delay(300);
  process.kill(victim.pid, 'SIGKILL');
  await delay(200);
  process.kill(redis.pid, 'SIGSTOP');
  try {
    await delay(pausedMs);
  } finally {
    process.kill(redis.pid, 'SIGCONT');
  }
}

/** One call, repeated as clients do it: where nothing answers, or the answer says when to try again. */
async function ask(cell: Cell, key: string): Promise<{ status: number; code: string }> {
  const { model, stream, maxTokens, prompt } = cell;
  const body = JSON.stringify({
    model,
    stream,
    ...(maxTokens && { max_tokens: maxTokens }),
    messages: [{ role: 'user', content: prompt }],
  });
  const headers: Record<string, string> = { authorization: `Bearer sk-${key}`, 'content-type': 'application/json' };
  if (cell.by === 'run') headers['x-run-id'] = 'overspend';
  let last = { status: 0, code: 'no answer' };
  for (let tried = 0; tried < mostTries; tried += 1) {
    try {
      const answer = await fetch(`${installation.address}/v1/chat/completions`, { method: 'POST', headers, body });
      const text = await answer.text();
      if (answer.status === 200 && (!stream || text.includes('[DONE]'))) return { status: 200, code: '' };
      last = { status: answer.status === 200 ? 0 : answer.status, code: /"code":"(\w+)"/.exec(text)?.[1] ?? 'broken off' };
      if (answer.headers.get('x-should-retry') === 'false' || (answer.status < 500 && answer.status !== 429)) return last;
      await delay(1_000 * Number(answer.headers.get('retry-after') ?? 1));
    } catch {
      last = { status: 0, code: 'no answer' };
      await delay(200 + Math.random() * 300);
    }
  }
  return last;
}

/** What is spent once nothing is held any more: the holds of the killed relay end by the sweep. */
async function settled({ read }: Ceiling): Promise<{ used: number; held: number }> {
  const untilMs = Date.now() + 90_000;
  for (;;) {
    const now = await read();
    if (now.held === 0 || Date.now() > untilMs) return now;
    await delay(500);
  }
}
