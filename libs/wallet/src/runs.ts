import { createHash } from 'node:crypto';
import { runPrefix } from '@tollgate/contracts';
import { Run, type RunDoc } from '@tollgate/db';

/** A run of a token: what identifies it. */
export interface RunName {
  /** Of a child token, its parent. */
  tokenId: number;
  /** As the caller names it; empty: the one that all unknown runs of the token share. */
  runId: string;
}

const idLength = 24;

/** The id of the budget that holds and counts for a run. */
export function runBudgetId({ tokenId, runId }: RunName): string {
  if (runId === '') return `${runPrefix}${tokenId}`;
  return `${runPrefix}${tokenId}-${createHash('sha256').update(runId).digest('hex').slice(0, idLength)}`;
}

/** The run, or null before it was opened. */
export function findRun(name: RunName): Promise<RunDoc | null> {
  return Run.findById(runBudgetId(name)).lean().exec();
}

/** Opens a run unless it is open: the first ceiling stays. Returns the run as it is stored. */
export async function openRun(name: RunName, fields: Pick<RunDoc, 'userId' | 'limit' | 'openedBy'>): Promise<RunDoc> {
  const $setOnInsert = { ...name, ...fields, openedAt: new Date() };
  return await Run.findOneAndUpdate({ _id: runBudgetId(name) }, { $setOnInsert }, { upsert: true, returnDocument: 'after' }).lean();
}

/** Changes the ceiling of an open run, in quota units. Announce its token afterwards. Returns the run; null when there is none. */
export function setRunLimit(id: string, limit: number): Promise<RunDoc | null> {
  return Run.findByIdAndUpdate(id, { $set: { limit } }, { returnDocument: 'after' }).lean().exec();
}
