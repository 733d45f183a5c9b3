import { randomBytes } from 'node:crypto';
import { connectDatabase, disconnectDatabase, UsageHourly, UsageLog } from '@tollgate/db';
import type { Bench, Row } from '../bench.ts';
import { rssMegabytes } from '../processes.ts';

const users = 1000;
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
    ['of one user', `/api/log/?p=1&page_size=20&username=user-77&${month}`],
    ['of one channel', `/api/log/?p=1&page_size=20&channel=3&${month}`],
    ['stat', `/api/log/stat?${month}`],
    ['dashboard, 30 days', `/api/data/?${month}`],
  ];
  for (const [name, path] of calls) {
    const times: number[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const begun = performance.now();
      await bench.stack.installation.console(path);
      times.push(performance.now() - begun);
    }
    times.sort((a, b) => a - b);
    rows.push({ name: `${label}: ${name}, p95`, value: times[18] ?? Number.NaN, unit: 'ms', atMost: 100 });
  }
  rows.push({ name: `${label}: store, resident`, value: rssMegabytes(bench.stack.pids.store as number), unit: 'MB', atMost: 512 });
  return rows;
}

async function fill(uri: string, count: number): Promise<void> {
  await connectDatabase(uri);
  const until = Date.now();
  const hours = new Map<string, Record<string, unknown>>();
  for (let from = 0; from < count; from += 1000) {
    const rows = Array.from({ length: Math.min(1000, count - from) }, (_, index) =>
      logRow(from + index, until - 30 * 24 * hourMs + ((from + index) / count) * 30 * 24 * hourMs),
    );
    for (const row of rows) addHour(hours, row);
    await UsageLog.collection.insertMany(rows as never[], { ordered: false });
  }
  const rollUps = [...hours.values()];
  for (let from = 0; from < rollUps.length; from += 1000)
    await UsageHourly.collection.insertMany(rollUps.slice(from, from + 1000) as never[], { ordered: false });
  await disconnectDatabase();
}

function logRow(index: number, atMs: number) {
  const userId = 10 + ((index * 7919) % users);
  return {
    _id: `bench-${index}-${randomBytes(4).toString('hex')}`,
    type: 2,
    at: new Date(atMs),
    userId,
    username: `user-${userId}`,
    tokenId: userId,
    tokenName: 'default',
    group: 'default',
    model: models[index % models.length] as string,
    upstreamModel: models[index % models.length] as string,
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

/** Few users make most of the calls, so that a dashboard has about 20 000 roll-up rows, as a site of this size has. */
function addHour(hours: Map<string, Record<string, unknown>>, row: ReturnType<typeof logRow>): void {
  const hour = Math.floor(row.at.getTime() / hourMs) * hourMs;
  const userId = 10 + (row.userId % 6);
  const id = `${hour}:${userId}:${row.model}`;
  const sum = hours.get(id) ?? {
    _id: id,
    hour: new Date(hour),
    userId,
    username: `user-${userId}`,
    model: row.model,
    channelId: row.channelId,
    tokenId: userId,
    tokenName: 'default',
    group: 'default',
    requests: 0,
    promptTokens: 0,
    completionTokens: 0,
    quota: 0,
    uncollected: 0,
    marks: {},
  };
  sum.requests = Number(sum.requests) + 1;
  sum.promptTokens = Number(sum.promptTokens) + row.promptTokens;
  sum.completionTokens = Number(sum.completionTokens) + row.completionTokens;
  sum.quota = Number(sum.quota) + row.quota;
  hours.set(id, sum);
}
