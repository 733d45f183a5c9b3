import { type CallLimits, limitNames } from '@tollgate/contracts/limits';

/** The limits that an editor starts with: those of the row, or none. */
export function limitsIn(row: CallLimits | undefined): CallLimits {
  return Object.fromEntries(limitNames.map((name) => [name, row?.[name] ?? 0])) as CallLimits;
}
