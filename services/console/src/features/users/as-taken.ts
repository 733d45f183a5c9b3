import { isDuplicate } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';

/** For writes of accounts: what a unique index refused, in words. Others are thrown on. */
export function asTaken(error: unknown): never {
  if ((['username', 'nameKey', 'nameSkeleton'] as const).some((field) => isDuplicate(error, field)))
    throw new AppError('username_taken', {}, { cause: error });
  if (isDuplicate(error, 'email')) throw new AppError('email_taken', {}, { cause: error });
  throw error;
}
