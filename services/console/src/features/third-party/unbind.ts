import type { Bound } from '@tollgate/contracts';
import { Passkey } from '@tollgate/db';
import { AppError } from '@tollgate/runtime';
import type { Caller } from '../../auth/caller.ts';
import type { Context } from '../../context.ts';
import { changedProof } from '../users/proofs.ts';
import { changeOwnRow } from '../users/self.ts';
import { boundFields } from './provider.ts';
import { canSignIn, valueIn } from './working-ways.ts';

/** Removes a binding, never the last way to sign in. */
export async function unbind(context: Context, provider: Bound, caller: Caller): Promise<void> {
  const field = boundFields[provider];
  const hasPasskey = (await Passkey.exists({ userId: caller.id })) !== null;
  await changeOwnRow(caller, {
    fields(row) {
      const isLast = !canSignIn({ ...row, [field]: '', hasPasskey }, valueIn(context.options.values));
      if (provider !== 'email' && isLast) throw new AppError('last_way_in');
      return changedProof(row, field, '');
    },
  });
  await context.announce('user', caller.id);
}
