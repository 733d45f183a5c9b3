import { randomBytes } from 'node:crypto';
import { connectDatabase, disconnectDatabase, UsageByModel, UsageByPart, UsageHourly, UsageLog } from '@tollgate/db';
import type { Bench, Row } from '../bench.ts';
import { cpuMicros, rssMegabytes } from '../processes.ts';

const turns = 40;
const users = 1000;
const rareEvery = 50_000;
const models = ['gpt-4o', 'gpt-4o-mini', 'claude-3-5-sonnet-20241022', 'gemini-2.0-flash', 'deepseek-chat'];
const hourMs = 3_600_000;

/** Lists, filters and the dashboard over `count` logs of 30 days, through the console's own door. */
export async function consoleLists(bench: Bench, mongodbUri: string, count = 1_000_000): Promise<Row[]> {
  const label = `${count / 1e6} M logs`;
  const started = performance.now();
  await fill(mongodbUri, count);
  const rows: Row[] = [{ name: `${label}: written in`, value: (performance.now() - started) / 1000, unit: 's' }];
  const now = Math.floor(Date.now() / 1000);
  const month = `start_timestamp=${now - 30 * 86_400}&end_timestamp=${now + 3600}`;
  const calls: [string, string][] = [
    ['first page', `/api/log/?p=1&page_size=20&${month}`],
    ['page 50', `/api/log/?p=50&page_size=20&${month}`],
    ['of one model', `/api/log/?p=1&page_size=20&model_name=gpt-4o&${month}`],
    ['of one user', `/api/log/?p=1&page_size=20&username=root&${month}`],
    ['of one channel', `/api/log/?p=1&page_size=20&channel=3&${month}`],
    ['of one token name', `/api/log/?p=1&page_size=20&token_name=token-77&${month}`],
    ['of a rare group', `/api/log/?p=1&page_size=20&group=rare&${month}`],
    ['of models by their beginning', `/api/log/?p=1&page_size=20&model_name=gpt-4*&${month}`],
    ['of a rare model by its beginning', `/api/log/?p=1&page_size=20&model_name=rare*&${month}`],
    ['of one type', `/api/log/?p=1&page_size=20&type=2&${month}`],
    ['of one user and model', `/api/log/?p=1&page_size=20&username=root&model_name=gpt-4o&${month}`],
    ['of one channel and model', `/api/log/?p=1&page_size=20&channel=3&model_name=gpt-4o&${month}`],
    ['of one request', `/api/log/?p=1&page_size=20&request_id=nowhere&${month}`],
    ['stat', `/api/log/stat?${month}`],
    ['dashboard of everybody, 30 days', `/api/data/?${month}`],
    ['dashboard of the busiest user, 30 days', `/api/data/self/?${month}`],
    ['dashboard by group, 30 days', `/api/data/?by=group&${month}`],
    ['dashboard by user, 30 days', `/api/data/?by=user&default_time=total&${month}`],
    ['dashboard of the busiest user by token, 30 days', `/api/data/self/?by=token&default_time=day&${month}`],
  ];
  const { store, console } = bench.stack.pids as { store: number; console: number };
  for (const [name, path] of calls) {
    const times: number[] = [];
    const before = [cpuMicros(console), cpuMicros(store)] as const;
    for (let turn = 0; turn < turns; turn += 1) {
      const begun = performance.now();
      await bench.stack.installation.console(path);
      times.push(performance.now() - begun);
    }
    const parts = { 'us CPU: console': (cpuMicros(console) - before[0]) / turns, store: (cpuMicros(store) - before[1]) / turns };
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.floor(turns * share)] ?? Number.NaN;
    rows.push({ name: `${label}: ${name}, p95`, value: at(0.95), median: at(0.5), parts, unit: 'ms', atMost: 100 });
  }
  rows.push({ name: `${label}: store, resident`, value: rssMegabytes(store), unit: 'MB', atMost: 512 });
  return rows;
}

async function fill(uri: string, count: number): Promise<void> {
  await connectDatabase(uri);
  const until = Date.now();
  const hours: RollUp = new Map();
  const byModel: RollUp = new Map();
  const byPart: RollUp = new Map();
  for (let from = 0; from < count; from += 1000) {
    const rows = Array.from({ length: Math.min(1000, count - from) }, (_, index) =>
      logRow(from + index, until - 30 * 24 * hourMs + ((from + index) / count) * 30 * 24 * hourMs),
    );
    for (const row of rows) rollUp(row, { hours, byModel, byPart });
    await UsageLog.collection.insertMany(rows as never[], { ordered: false });
  }
  for (const [collection, rows] of [
    [UsageHourly.collection, [...hours.values()]],
    [UsageByModel.collection, [...byModel.values()]],
    [UsageByPart.collection, [...byPart.values()]],
  ] as const) {
    for (let from = 0; from < rows.length; from += 1000)
      await collection.insertMany(rows.slice(from, from + 1000) as never[], { ordered: false });
  }
  await disconnectDatabase();
}

function logRow(index: number, atMs: number) {
  const userId = 1 + ((index * 7919) % users);
  const model = index % rareEvery === 5 ? 'rare-model' : (models[index % models.length] as string);
  return {
    _id: `bench-${index}-${randomBytes(4).toString('hex')}`,
    type: 2,
    at: new Date(atMs),
    userId,
    username: `user-${userId}`,
    tokenId: userId,
    tokenName: `token-${userId}`,
    group: index % rareEvery === 7 ? 'rare' : 'default',
    model,
    upstreamModel: model,
    mode: 'chat',
    channelId: 1 + (index % 9),
    channelName: `channel ${1 + (index % 9)}`,
    isStream: index % 2 === 0,
    durationMs: 800 + (index % 4000),
    firstTokenMs: 200,
    promptTokens: 500 + (index % 900),
    completionTokens: 100 + (index % 400),
    quota: 1000 + (index % 5000),
    uncollected: 0,
    content: '',
  };
}

type Counts = Record<'requests' | 'promptTokens' | 'completionTokens' | 'quota', number>;
type RollUp = Map<string, Counts & Record<string, unknown>>;

/** Few users make most of the calls, so that a month of hours has about 20 000 rows, as a site of this size has. */
function rollUp(row: ReturnType<typeof logRow>, { hours, byModel, byPart }: Record<'hours' | 'byModel' | 'byPart', RollUp>): void {
  const begin = Math.floor(row.at.getTime() / hourMs) * hourMs;
  const hour = new Date(begin);
  const userId = 1 + (row.userId % 6); // the first is the visitor
  const { model, channelId } = row;
  const caller = { userId, username: `user-${userId}`, channelId, tokenId: userId, tokenName: 'default', group: 'default' };
  add(hours, `${begin}:${userId}:${model}`, row, { hour, model, ...caller });
  add(byModel, `${begin}|${model}`, row, { hour, model });
  const day = new Date(Math.floor(begin / (24 * hourMs)) * 24 * hourMs);
  add(byPart, `g|${begin}|${row.group}`, row, { by: 'group', at: hour, group: row.group });
  add(byPart, `c|${day.getTime()}|${channelId}`, row, { by: 'channel', at: day, channelId });
  add(byPart, `t|${day.getTime()}|${row.userId}`, row, { by: 'token', at: day, userId: row.userId, tokenId: row.tokenId });
}

function add(rows: RollUp, id: string, row: Omit<Counts, 'requests'>, place: Record<string, unknown>): void {
  const empty = { requests: 0, promptTokens: 0, completionTokens: 0, quota: 0, uncollected: 0, marks: {} };
  const sum = rows.get(id) ?? { _id: id, ...place, ...empty };
  sum.requests += 1;
  sum.promptTokens += row.promptTokens;
  sum.completionTokens += row.completionTokens;
  sum.quota += row.quota;
  rows.set(id, sum);
}
