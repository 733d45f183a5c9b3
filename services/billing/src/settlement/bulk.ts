import { duplicateKey } from '@tollgate/db';

/** The part of the driver's collections that this file uses. */
interface BulkTarget<Operation> {
  bulkWrite(operations: Operation[], options: { ordered: false }): Promise<{ matchedCount: number; upsertedCount: number }>;
}

const writeConflict = 112;

export interface WriteFailure {
  index: number;
  code: number;
}

/**
 * Writes what can be written. Returns the number of operations applied and those that lost a race (duplicate key, write conflict), which
 * the caller must check again. Throws on other errors.
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

/** The failures of an unordered write. Rethrows unless every one is a lost race. */
export function raceFailures(error: unknown): WriteFailure[] {
  const { writeErrors, result } = error as { writeErrors?: WriteFailure | WriteFailure[]; result?: { getWriteConcernError?(): unknown } };
  const failures = [writeErrors ?? []].flat().map(({ index, code }) => ({ index, code }));
  const durable = result?.getWriteConcernError?.() === undefined;
  if (failures.length === 0 || !durable || failures.some(({ code }) => code !== duplicateKey && code !== writeConflict)) throw error;
  return failures;
}
