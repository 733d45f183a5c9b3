import type { Coordinates } from '@tollgate/bus';
import type { UsageLogRow } from '@tollgate/db';

/** A call to be charged: its log row, with the coordinates of its event. */
export interface Charge extends UsageLogRow {
  offset: string;
}

/** Number of calls: a refund returns the cost of a call but does not reduce the count. */
export function callsIn(charges: readonly Charge[]): number {
  return sum(charges, ({ refundOf }) => (refundOf === undefined ? 1 : 0));
}

export function amountOf({ quota, uncollected }: Charge): number {
  return quota - uncollected;
}

/** The name of a partition's mark: a valid field name, equal for all events of one partition and epoch. */
export function markName({ epoch, partition }: Pick<Coordinates, 'epoch' | 'partition'>): string {
  const name = epoch.replace(/[.$%\0]/g, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return `${name}_${partition}`;
}

export function markOf({ epoch = '', partition = 0 }: Charge): string {
  return markName({ epoch, partition });
}

export function groupBy<Key, T>(items: readonly T[], keyOf: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

export function sum<T>(items: readonly T[], numberOf: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += numberOf(item);
  return total;
}
