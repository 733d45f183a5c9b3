import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Installation } from '@tollgate/testing';
import { Agent, request } from 'undici';
import type { Row } from '../bench.ts';
import { cpuMicros, forgetMostMemory, mostMegabytes, rssMegabytes } from '../processes.ts';
import { cleanUpBesideWriters } from '../volume/clean-up.ts';
import { startSite } from '../volume/site.ts';

const turns = Number(process.env.TURNS ?? 40);
const listBudgetMs = 100;
const volume = { logs: Number(process.env.LOGS ?? 10_000_000), users: 100_000, channels: 5_000, tokens: 50_000 };
const exportedRows = 1_000_000;

/**
 * Every list, search and dashboard of a large site, through its public port; an export of a million rows; clean-up beside writers. `VOLUME_DATA` is a folder to keep
 * the site in: filled when it is empty, used again when it is not.
 */
export async function largeSite(): Promise<Row[]> {
  const kept = process.env.VOLUME_DATA;
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'tollgate-volume-')));
  try {
    const site = await startSite(folder, volume);
    try {
      return await measured(site);
    } finally {
      await site.stop();
    }
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function measured(site: Installation): Promise<Row[]> {
  const pids = { console: await site.pidOf('console'), store: await site.pidOf('store') };
  const rows: Row[] = [];
  const only = process.env.ONLY ? new RegExp(process.env.ONLY) : /./;
  for (const [name, path] of callsAt(Math.floor(Date.now() / 1000))) {
    if (!only.test(name)) continue;
    rows.push(await timed(site, pids, { name, path }));
    print(rows.at(-1) as Row);
  }
  if (only.test('pricing')) rows.push(...(await pricing(site, pids)));
  if (only.test('export')) rows.push(await exported(site, pids));
  if (only.test('clean-up')) rows.push(...(await cleanUpBesideWriters(site.mongodbUri)));
  rows.push({ name: 'volume: store, resident', value: rssMegabytes(pids.store), unit: 'MB', atMost: 512 });
  return rows;
}

function print({ name, value, median, parts, unit }: Row): void {
  if (process.env.VOLUME_DATA) console.log(name, value.toFixed(1), median?.toFixed(1), unit, parts);
}

type Call = [name: string, path: string];

function callsAt(now: number): Call[] {
  const month = `start_timestamp=${now - 30 * 86_400}&end_timestamp=${now + 3600}`;
  const page = 'p=1&page_size=20';
  const logs: Call[] = (
    [
      ['first page', ''],
      ['page 400', 'p=400'],
      ['of a model', 'model_name=gpt-model-0'],
      ['of models by their beginning', 'model_name=gpt*'],
      ['of a rare model by its beginning', 'model_name=rare*'],
      ['of the busiest user', 'username=root'],
      ['of a usual user', 'username=user-2500'],
      ['of a user and model', 'username=root&model_name=gpt-model-0'],
      ['of a channel', 'channel=138'],
      ['of a channel and model', 'channel=8&model_name=deepseek-model-15'],
      ['of a token name', 'token_name=token-77'],
      ['of a group', 'group=vip'],
      ['of a rare group', 'group=rare'],
      ['of a group and model', 'group=vip&model_name=gpt-model-0'],
      ['of top-ups', 'type=1'],
      ['of calls', 'type=2'],
      ['of a request', 'request_id=nowhere'],
    ] as Call[]
  ).map(([name, query]) => [`logs: ${name}`, `/api/log/?${query.includes('p=') ? 'page_size=20' : page}&${query}&${month}`]);
  return [
    ...logs,
    ['logs: of all time', `/api/log/?${page}`],
    ['logs: search by a model', '/api/log/search?keyword=gpt-model-0'],
    ['logs: search by a token', '/api/log/search?keyword=token-9'],
    ['logs: search by nothing known', '/api/log/search?keyword=nothing'],
    ['logs: own, first page', `/api/log/self/?${page}&${month}`],
    ['logs: own, search', '/api/log/self/search?keyword=gpt-model-0'],
    ['logs: stat of a month', `/api/log/stat?${month}`],
    ['logs: stat of a model', `/api/log/stat?model_name=gpt-model-0&${month}`],
    ['logs: stat of a user', `/api/log/stat?username=user-2500&${month}`],
    ['logs: stat of the busiest user', `/api/log/stat?username=root&${month}`],
    ['logs: stat of a channel', `/api/log/stat?channel=138&${month}`],
    ['logs: stat of a group', `/api/log/stat?group=vip&${month}`],
    ['logs: stat of a token name', `/api/log/stat?token_name=token-77&${month}`],
    ['logs: own stat', `/api/log/self/stat?${month}`],
    ['dashboard: everybody by model', `/api/data/?${month}`],
    ['dashboard: everybody by group', `/api/data/?by=group&${month}`],
    ['dashboard: everybody by channel', `/api/data/?by=channel&default_time=day&${month}`],
    ['dashboard: everybody by token', `/api/data/?by=token&default_time=day&${month}`],
    ['dashboard: everybody by user', `/api/data/?by=user&default_time=total&${month}`],
    ['dashboard: a user by model', `/api/data/?username=user-2500&${month}`],
    ['dashboard: own by model', `/api/data/self/?${month}`],
    ['dashboard: own by token', `/api/data/self/?by=token&default_time=day&${month}`],
    ['users: first page', `/api/user/?${page}`],
    ['users: page 400', '/api/user/?p=400&page_size=20'],
    ['users: search by a part of a name', `/api/user/search?keyword=ser-4711&${page}`],
    ['users: search by an id', `/api/user/search?keyword=99999&${page}`],
    ['users: search by nothing known', `/api/user/search?keyword=nothing&${page}`],
    ['users: search by an e-mail', `/api/user/search?keyword=person-4712@&${page}`],
    ['users: of a group', `/api/user/search?keyword=&group=vip&${page}`],
    ['users: one', '/api/user/4711'],
    ['tokens: own', `/api/token/?${page}`],
    ['tokens: own, search', `/api/token/search?keyword=token&${page}`],
    ['channels: first page', `/api/channel/?${page}`],
    ['channels: page 200', '/api/channel/?p=200&page_size=20'],
    ['channels: by id', `/api/channel/?${page}&id_sort=true`],
    ['channels: by tag', `/api/channel/?${page}&tag_mode=true`],
    ['channels: search', `/api/channel/search?keyword=channel%2047&group=default&model=gpt&${page}`],
    ['channels: search by a key', `/api/channel/search?keyword=sk-volume-channel-4711&${page}`],
    ['channels: facets', '/api/channel/facets'],
    ['codes: first page', `/api/redemption/?${page}`],
    ['codes: search', `/api/redemption/search?keyword=batch-7&${page}`],
    ['orders: first page', `/api/order/?${page}`],
    ['orders: unpaid', `/api/order/?status=pending&${page}`],
    ['orders: of a user', `/api/order/?keyword=user-4711&${page}`],
    ['drawings: first page', `/api/mj/?${page}`],
    ['drawings: failed', `/api/mj/?status=FAILURE&${page}`],
    ['drawings: of a channel and action', `/api/mj/?channel_id=3&action=mj_imagine&${page}`],
    ['drawings: by the id of the provider', `/api/mj/?mj_id=upstream-4711&${page}`],
    ['drawings: own', `/api/mj/self/?${page}`],
    ['music: first page', `/api/task/?${page}`],
    ['audit: first page', `/api/audit/?${page}`],
    ['audit: of a target', `/api/audit/?target=user:47&${page}`],
    ['audit: of an actor and action', `/api/audit/?actor=root&action=token.&${page}`],
    ['models of a user', '/api/user/models'],
    ['pricing', '/api/pricing'],
    ['status', '/api/status'],
  ];
}

type Pids = Record<'console' | 'store', number>;

async function timed(site: Installation, { console, store }: Pids, { name, path }: { name: string; path: string }): Promise<Row> {
  const times: number[] = [];
  const before = [cpuMicros(console), cpuMicros(store)] as const;
  for (let turn = 0; turn < turns; turn += 1) {
    const begun = performance.now();
    const isAnswered = await site.console(path).then(
      () => true,
      () => false,
    );
    times.push(isAnswered ? performance.now() - begun : Number.POSITIVE_INFINITY);
  }
  const parts = { 'us CPU: console': (cpuMicros(console) - before[0]) / turns, store: (cpuMicros(store) - before[1]) / turns };
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(turns * share)] ?? Number.NaN;
  return { name: `volume: ${name}, p95`, value: at(0.95), median: at(0.5), parts, unit: 'ms', atMost: listBudgetMs };
}

/** Anonymous calls of the price list, a few at a time, by the console's CPU time. */
async function pricing(site: Installation, { console }: Pids): Promise<Row[]> {
  const socketPath = await site.addressOf('console');
  const dispatcher = new Agent({ connect: { socketPath }, connections: 8 });
  const count = 4000;
  const before = cpuMicros(console);
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let index = 0; index < count / 8; index += 1) await (await request('http://localhost/api/pricing', { dispatcher })).body.dump();
    }),
  );
  const micros = (cpuMicros(console) - before) / count;
  await dispatcher.close();
  return [{ name: 'volume: anonymous price lists a second and core', value: 1e6 / micros, unit: '/s', atLeast: 2000 }];
}

/** An export of a million logs, read as fast as it comes: what the console holds meanwhile, at its most. */
async function exported(site: Installation, { console, store }: Pids): Promise<Row> {
  forgetMostMemory(console);
  const [rest, begun, cpu] = [rssMegabytes(console), performance.now(), [cpuMicros(console), cpuMicros(store)] as const];
  const days = Math.ceil((exportedRows / volume.logs) * 30);
  const from = Math.floor(Date.now() / 1000) - (days + 2) * 86_400;
  const answer = await site.asRoot(`/api/log/export?start_timestamp=${from}&end_timestamp=${from + days * 86_400}`);
  let rows = -1;
  let bytes = 0;
  for await (const piece of answer.body as ReadableStream<Uint8Array>) {
    bytes += piece.length;
    for (const byte of piece) if (byte === 10) rows += 1;
  }
  const each = (pid: number, before: number): number => (cpuMicros(pid) - before) / rows;
  const parts = {
    rows,
    MB: bytes / 1e6,
    s: (performance.now() - begun) / 1000,
    'us CPU a row: console': each(console, cpu[0]),
    store: each(store, cpu[1]),
  };
  return { name: `volume: export of ${rows} logs, memory above rest`, value: mostMegabytes(console) - rest, parts, unit: 'MB', atMost: 64 };
}
