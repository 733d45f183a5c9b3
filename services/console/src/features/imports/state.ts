import { importView } from '@tollgate/contracts';
import type { Redis } from 'ioredis';
import type { z } from 'zod';

const stored = importView.omit({ imports: true });
export type ImportState = z.infer<typeof stored>;

/** Reports of more lines are to be had from the command. */
const mostReport = 400_000;
const key = 'import:state';

export const noImport: ImportState = {
  state: 'none',
  action: 'import',
  apply: false,
  from: '',
  started_time: 0,
  ended_time: 0,
  made: {},
  report: '',
  error: '',
};

export async function importState(redis: Redis): Promise<ImportState> {
  const text = await redis.get(key);
  return text === null ? noImport : stored.parse(JSON.parse(text));
}

export async function noteImport(redis: Redis, state: ImportState): Promise<void> {
  await redis.set(key, JSON.stringify({ ...state, report: state.report.slice(0, mostReport) }));
}

/** An address without its password; a path as it is. */
export function shownSource(from: string): string {
  const url = URL.parse(from);
  if (url === null || url.password === '') return from;
  url.password = '***';
  return url.href;
}
