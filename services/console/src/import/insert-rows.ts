import { isDuplicate } from '@tollgate/db';

interface Writing<Row> {
  /** Goes on with the others where a row is refused. */
  insert(rows: Row[]): Promise<unknown>;
  /** How many rows with these ids there are. */
  count(ids: number[]): Promise<number>;
}

/**
 * Inserts rows that a killed run may have inserted in part. Throws an Error where somebody else has taken what a row needs meanwhile (an id,
 * a name): the next run finds it taken and says so.
 */
export async function insertRows<Row extends { id: number }>(rows: Row[], { insert, count }: Writing<Row>): Promise<void> {
  if (rows.length === 0) return;
  try {
    await insert(rows);
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const found = await count(rows.map(({ id }) => id));
    if (found < rows.length) throw new Error('An id or a name was taken meanwhile. Run the import again.', { cause: error });
  }
}
