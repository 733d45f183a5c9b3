import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Installation } from '@tollgate/testing';
import { Agent, request } from 'undici';
import type { Row } from '../bench.ts';
import { cpuMicros, forgetMostMemory, mostMegabytes, rssMegabytes } from '../processes.ts';
import { callsAt } from '../volume/calls.ts';
import { cleanUpBesideWriters } from '../volume/clean-up.ts';
import { volumeModels } from '../volume/logs.ts';
import { type Site, startSite } from '../volume/site.ts';

const turns = Number(process.env.TURNS ?? 40);
const listBudget = { atMost: 100, aim: 50 };
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
      await site.installation.stop();
    }
  } finally {
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function measured({ installation: site, untilMs }: Site): Promise<Row[]> {
  const pids = { console: await site.pidOf('console'), store: await site.pidOf('store') };
  const rows: Row[] = [];
  const only = process.env.ONLY ? new RegExp(process.env.ONLY) : /./;
  for (const [name, path] of callsAt(untilMs / 1000)) {
    if (!only.test(name)) continue;
    rows.push(await timed(site, pids, { name, path }));
    print(rows.at(-1) as Row);
  }
  if (only.test('pricing')) rows.push(...(await pricing(site, pids)));
  if (only.test('export')) rows.push(await exported(site, pids, untilMs));
  if (only.test('clean-up')) rows.push(...(await cleanUpBesideWriters(site.mongodbUri, pids.store)));
  rows.push({ name: 'volume: store, resident', value: rssMegabytes(pids.store), unit: 'MB', atMost: 512 });
  return rows;
}

function print({ name, value, median, parts, unit }: Row): void {
  if (process.env.VOLUME_DATA) console.log(name, value.toFixed(1), median?.toFixed(1), unit, parts);
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
  return { name: `volume: ${name}, p95`, value: at(0.95), median: at(0.5), parts, unit: 'ms', ...listBudget };
}

/** Anonymous calls of the price list, all of its models with a price, a few at a time, by the console's CPU time. */
async function pricing(site: Installation, { console }: Pids): Promise<Row[]> {
  const ratios = Object.fromEntries(volumeModels.map((model) => [model, 1.25]));
  await site.console('/api/option/', { method: 'PUT', body: { key: 'ModelRatio', value: JSON.stringify(ratios) } });
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
async function exported(site: Installation, { console, store }: Pids, untilMs: number): Promise<Row> {
  forgetMostMemory(console);
  const [rest, begun, cpu] = [rssMegabytes(console), performance.now(), [cpuMicros(console), cpuMicros(store)] as const];
  const days = Math.ceil((exportedRows / volume.logs) * 30);
  const from = untilMs / 1000 - (days + 2) * 86_400;
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
