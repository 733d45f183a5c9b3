import { AppError } from '@tollgate/runtime';

/** The parts of a path, which are numbers unless the contract says otherwise. */
export function pathNumbers(params: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(Object.entries(params).map(([name, part]) => [name, numberIn(part)]));
}

function numberIn(part: unknown): number {
  if (typeof part !== 'string' || !/^\d{1,15}$/.test(part))
    throw new AppError('invalid_parameter', { reason: 'the id in the address must be a number' });
  return Number(part);
}
