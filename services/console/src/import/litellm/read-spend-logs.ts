import { logType } from '@tollgate/contracts';
import type { LogChoice } from '../run.ts';
import type { Source } from '../source.ts';
import { quotaOf } from './accounts.ts';
import type { FamilyDatabase } from './family-database.ts';

const table = 'LiteLLM_SpendLogs';
const rowsAtOnce = 2_000;
/** Prompts and answers are not read. */
const columns =
  'l."request_id", l."api_key", l."user", l."spend", l."prompt_tokens", l."completion_tokens", l."model", extract(epoch from l."startTime")::bigint AS "at", round(extract(epoch from l."endTime" - l."startTime") * 1000)::bigint AS "took"';

interface Reading {
  source: Source;
  family: FamilyDatabase;
  /** Accounts of keys by the key's hash. */
  owners: ReadonlyMap<string, number>;
  accounts: ReadonlyMap<string, number>;
}

/** Calls that cost something or counted tokens, by their keys, or by their users where the key is deleted. */
export async function readSpendLogs({ source, family, owners, accounts }: Reading, logs: LogChoice): Promise<void> {
  if (!source.tables.has(table)) return;
  if (logs === 'none') {
    const [row] = await source.select(`SELECT COUNT(*) AS "rows" FROM "${table}"`);
    if (Number(row?.rows) > 0) family.leftOut('table', table, `${Number(row?.rows)} rows stay at the source (--logs takes them over)`);
    return;
  }
  for (let last = ''; ; ) {
    const rows = await source.select(
      `SELECT ${columns} FROM "${table}" l WHERE l."request_id" > ? ORDER BY l."request_id" LIMIT ${rowsAtOnce}`,
      [last],
    );
    const newest = rows.at(-1);
    if (newest === undefined) return;
    last = String(newest.request_id);
    for (const row of rows) {
      const owner = owners.get(String(row.api_key)) ?? accounts.get(`user:${row.user || ''}`);
      family.add('logs', {
        ...{ ref: String(row.request_id), user_id: owner ?? 0, created_at: Number(row.at), type: logType.consume },
        ...{ model_name: String(row.model ?? ''), quota: quotaOf(Number(row.spend ?? 0)) },
        ...{ prompt_tokens: Number(row.prompt_tokens ?? 0), completion_tokens: Number(row.completion_tokens ?? 0) },
        elapsed_time: Math.max(0, Number(row.took ?? 0)),
      });
    }
  }
}
