import { AppError } from '@tollgate/runtime';
import type { Request } from 'express';

/** The number in a path's `:id`. */
export function pathId(req: Request): number {
  const { id } = req.params;
  if (typeof id !== 'string' || !/^\d{1,15}$/.test(id))
    throw new AppError('invalid_parameter', { reason: 'the id in the address must be a number' });
  return Number(id);
}
