import { duplicateKey } from '@tollgate/db';

/** The driver's collections as far as this file needs them. */
interface BulkTarget<Operation> {
  bulkWrite(operations: Operation[], options: { ordered: false }): Promise<{ matchedCount: number; upsertedCount: number }>;
}

const writeConflict = 112;

export interface WriteFailure {
  index: number;
  code: number;
}

/**
 * Writes what can be written. Comes back with how many operations took hold and which failed because somebody else was quicker
 * (a duplicate key, a conflict): those are to be looked at again. Throws on everything else.
 */
export async function writeAll<Operation>(
  collection: BulkTarget<Operation>,
  operations: Operation[],
): Promise<{ done: number; failures: WriteFailure[] }> {
  if (operations.length === 0) return { done: 0, failures: [] };
  try {
    const result = await collection.bulkWrite(operations, { ordered: false });
    return { done: result.matchedCount + result.upsertedCount, failures: [] };
  } catch (error) {
    return { done: 0, failures: raceFailures(error) };
  }
}

/** The failures of an unordered write. Throws the error again unless each of them only means that somebody was quicker. */
export function raceFailures(error: unknown): WriteFailure[] {
  const { writeErrors, result } = error as { writeErrors?: WriteFailure | WriteFailure[]; result?: { getWriteConcernError?(): unknown } };
  const failures = [writeErrors ?? []].flat().map(({ index, code }) => ({ index, code }));
  const durable = result?.getWriteConcernError?.() === undefined;
  if (failures.length === 0 || !durable || failures.some(({ code }) => code !== duplicateKey && code !== writeConflict)) throw error;
  return failures;
}
