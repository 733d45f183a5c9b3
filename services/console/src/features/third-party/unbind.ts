import type { Bound } from '@tollgate/contracts';
import { Passkey } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { changedProof } from '../users/proofs.ts';
import { changeOwnRow } from '../users/self.ts';
import { boundFields, wayFields } from './provider.ts';

/** Gives up one of the ways in, never the last one. */
export async function unbind(context: Context, provider: Bound, caller: Caller): Promise<void> {
  const field = boundFields[provider];
  const others = wayFields.filter((way) => way !== field);
  const mayGo = provider === 'email' || (await Passkey.exists({ userId: caller.id }));
  await changeOwnRow(caller, {
    fields(row) {
      if (!mayGo && !others.some((way) => row[way])) throw new AppError('last_way_in');
      return changedProof(row, field, '');
    },
  });
  await context.announce('user', caller.id);
}
