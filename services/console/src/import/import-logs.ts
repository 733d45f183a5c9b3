import { beginOf, type LogText, logType } from '@tollgate/contracts';
import { rows as collections, ImportModel, isDuplicate, type UsageLogRow } from '@tollgate/db';
import { refOf, type SourceLog, sourceLog, sourceUsage } from './rows.ts';
import { noteLeftOut, type Run, readable, timeOf } from './run.ts';
import { numbersOf } from './source.ts';

const rowsAtOnce = 2_000;
const usage = 2;

/** Takes over the log of usage as history, which no balance and no statistics here count. */
export async function importLogs(run: Run): Promise<void> {
  if (!run.source.tables.has('logs')) return;
  const { rows: count = 0 } = await numbersOf(run.source, 'SELECT COUNT(*) AS "rows" FROM "logs"');
  if (run.logs === 'months') await importMonths(run);
  else if (run.logs === 'all') {
    if (run.apply) await collections.usageLogs().deleteMany({ _id: idsOf(`import:${run.name}:usage:`) }); // instead of an earlier choice
    await importRows(run);
  } else if (count > 0) noteLeftOut(run, 'table', { which: 'logs', text: `${count} rows stay at the source (--logs takes them over)` });
}

/** All ids that begin so. */
export function idsOf(begin: string): { $gte: string; $lt: string } {
  return { $gte: begin, $lt: `${begin}\u{10ffff}` };
}

/** One row for each account, model and month. The month that is not over yet is written anew by each run. */
async function importMonths(run: Run): Promise<void> {
  if ((await ImportModel.findById(run.name).lean())?.logsTo) throw new Error('--logs: the log came row by row already.');
  const { first = 0, last = 0 } = await numbersOf(
    run.source,
    `SELECT MIN("created_at") AS "first", MAX("created_at") AS "last" FROM "logs" WHERE "type" = ${usage}`,
  );
  if (last === 0) return;
  let strangers = 0;
  for (let from = monthOf(first); from <= last; from = monthOf(from + 32 * 86_400)) {
    const until = monthOf(from + 32 * 86_400);
    const rows = await run.source.select(
      `SELECT "user_id", "model_name", COUNT(*) AS "calls", SUM("prompt_tokens") AS "prompt", SUM("completion_tokens") AS "completion", SUM("quota") AS "quota"
       FROM "logs" WHERE "type" = ${usage} AND "created_at" >= ? AND "created_at" < ? GROUP BY "user_id", "model_name"`,
      [from, until],
    );
    const months = readable(run, 'log', { rows, schema: sourceUsage });
    const known = months.filter(({ user_id }) => run.userIds.has(user_id));
    strangers += months.length - known.length;
    run.report.made.log += known.length;
    for (const { quota } of known) run.report.sums.logged += quota;
    if (!run.apply) continue;
    const written = known.map(({ user_id, model_name: model, calls, prompt, completion, quota }) => {
      const userId = run.userIds.get(user_id) as number;
      const month = new Date(from * 1000).toISOString().slice(0, 7);
      const row: Omit<UsageLogRow, '_id'> = {
        ...noCall,
        type: logType.system,
        at: new Date(Math.min(until * 1000 - 1, Math.max(last, from) * 1000)),
        userId,
        username: run.usernames.get(user_id) ?? '',
        model: beginOf(model, 255),
        text: { code: 'usage_imported', values: { source: run.name, month, model, calls, prompt, completion, quota } },
        importedFrom: run.name,
      };
      return { replaceOne: { filter: { _id: `import:${run.name}:usage:${user_id}:${model}:${month}` }, replacement: row, upsert: true } };
    });
    for (let at = 0; at < written.length; at += rowsAtOnce)
      await collections.usageLogs().bulkWrite(written.slice(at, at + rowsAtOnce), { ordered: false });
  }
  if (strangers > 0) noteLeftOut(run, 'log', { which: 'logs', text: `${strangers} months of accounts that are left out` });
}

/** The begin of the month of a time in Unix seconds, UTC. */
function monthOf(seconds: number): number {
  const date = new Date(seconds * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000;
}

/** New rows only: how far earlier runs came is noted after each page, and a page that was written in part is written again. */
async function importRows(run: Run): Promise<void> {
  // Products whose rows have a text as id number them anew each time.
  const isNumbered = run.product !== 'litellm' && run.product !== 'tollgate';
  let last = isNumbered ? ((await ImportModel.findById(run.name).lean())?.logsTo ?? 0) : 0;
  let strangers = 0;
  let others = 0;
  for (;;) {
    const rows = await run.source.select(`SELECT * FROM "logs" WHERE "id" > ? ORDER BY "id" LIMIT ${rowsAtOnce}`, [last]);
    const newest = rows.at(-1);
    if (newest === undefined) break;
    last = Number(newest.id);
    const read = readable(run, 'log', { rows, schema: sourceLog });
    const taken = read.filter(({ user_id, type }) => run.userIds.has(user_id) && types[type] !== undefined);
    const known = isNumbered ? taken : await withoutWritten(run, taken);
    strangers += read.filter(({ user_id }) => !run.userIds.has(user_id)).length;
    others += read.length - taken.length;
    run.report.made.log += known.length;
    for (const { quota, type } of known) if (type === usage) run.report.sums.logged += quota;
    if (!run.apply) continue;
    const made = known.map((row) => logRow(run, row));
    const insert = async () => void (made.length > 0 && (await collections.usageLogs().insertMany(made, { ordered: false })));
    await insert().catch((error: unknown) => {
      if (!isDuplicate(error)) throw error; // a run that was killed had written some
    });
    await ImportModel.updateOne({ _id: run.name }, { $set: { logsTo: last } });
  }
  if (strangers > 0) noteLeftOut(run, 'log', { which: 'logs', text: `${strangers} rows of accounts that are left out` });
  if (others > strangers) noteLeftOut(run, 'log', { which: 'logs', text: `${others - strangers} rows of errors, tests and sign-ins` });
}

/** Those that no earlier run has written. */
async function withoutWritten(run: Run, all: readonly SourceLog[]): Promise<SourceLog[]> {
  const ids = new Map(all.map((row) => [idOfLog(run, row), row]));
  const written = await collections
    .usageLogs()
    .find({ _id: { $in: [...ids.keys()] } }, { projection: { _id: 1 } })
    .toArray();
  for (const { _id } of written) ids.delete(_id);
  return [...ids.values()];
}

/** Types of rows there and here: refunds are texts of the system. */
const types: Readonly<Record<number, number>> = {
  1: logType.topUp,
  2: logType.consume,
  3: logType.manage,
  4: logType.system,
  6: logType.system,
};

const noCall = {
  tokenId: 0,
  tokenName: '',
  group: '',
  channelId: 0,
  channelName: '',
  promptTokens: 0,
  completionTokens: 0,
  quota: 0,
  uncollected: 0,
};

function idOfLog({ name }: Run, row: SourceLog): string {
  return `import:${name}:log:${refOf(row)}`;
}

function logRow(run: Run, row: SourceLog): UsageLogRow {
  const isUsage = row.type === usage;
  return {
    ...noCall,
    _id: idOfLog(run, row),
    type: types[row.type] ?? logType.system,
    at: timeOf(run, row.created_at),
    userId: run.userIds.get(row.user_id) as number,
    username: row.username,
    tokenName: row.token_name,
    group: row.group,
    model: beginOf(row.model_name, 255),
    isStream: row.is_stream === 1,
    durationMs: row.use_time > 0 ? row.use_time * 1000 : row.elapsed_time,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    quota: isUsage ? row.quota : 0,
    content: beginOf(row.content, 1000),
    ...(row.own.text !== undefined && { text: row.own.text as LogText }),
    importedFrom: run.name,
  };
}
